// PlanPath: the file of a plan that the response of ExitPlanMode names.
// Only the letters of the path are checked here. The code that opens the file checks where it really leads.
import { isFields, listOf } from "../text/Fields.ts"
import { hasHidden } from "../text/Hidden.ts"

const longest = 4096
const most = { depth: 6, places: 100 } as const
const saved = /^[ \t]*["'`]?(\/[^\n\r"'`]*?\.md)(?=["'`)\].,;:!?]*(?:\s|$))/

/** The paths that a text names as where something was saved to. */
const savedIn = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const mention = /saved to:/gi
  for (let count = 0; count < most.places && mention.exec(text) !== null; count++) {
    const path = saved.exec(text.slice(mention.lastIndex, mention.lastIndex + longest))?.[1]
    if (path !== undefined) found.push(path)
  }
  return found
}

const textsOf = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (depth >= most.depth) return []
  const inner = isFields(value) ? Object.values(value) : listOf(value)
  return inner.slice(0, most.places).flatMap((one) => textsOf(one, depth + 1))
}

/** The path as it stands below the folder of plans; null for any other. */
const below = (path: string, home: string): string | null => {
  if (!path.startsWith("/") || path.length > longest || hasHidden(path)) return null
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  const plans = [...home.split("/").filter((part) => part !== "" && part !== "."), ".claude", "plans"]
  const name = parts[plans.length] ?? ""
  const inside = parts.length === plans.length + 1 && plans.every((part, i) => part === parts[i])
  return inside && /^[^.].*\.md$/.test(name) ? `/${parts.join("/")}` : null
}

/**
 * The plan's file: `filePath` of the response, else a path after "saved to:" in it. It is an absolute path of a
 * Markdown file directly in `<home>/.claude/plans`; null where the response names no such file.
 */
export const planPath = (toolResponse: unknown, home: string): string | null => {
  if (!home.startsWith("/")) return null
  const named = isFields(toolResponse) ? toolResponse["filePath"] : undefined
  const paths = [...(typeof named === "string" ? [named] : []), ...textsOf(toolResponse).flatMap(savedIn)]
  for (const path of paths) {
    const plan = below(path, home)
    if (plan !== null) return plan
  }
  return null
}
