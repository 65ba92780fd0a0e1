// HookVerdict: the verdict of a review of the hook, from an object of the asked form or from the review's first lines.
import { isFields, textOrNull } from "../text/Fields.ts"
import { plain } from "../text/Plain.ts"
import { lineSaid, type Said } from "./VerdictSaid.ts"

/** How a review ended. Uncertain is whatever is not clearly one of the others. */
export type HookVerdict = Said | "UNCERTAIN"

const bounds = { lines: 5, characters: 20_000 } as const
const fields = ["verdict", "result", "status", "decision"] as const
const fenceAround = /^(?:```|~~~)(?:json)?[ \t]*\r?\n([^]*)\n(?:```|~~~)$/i

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The verdict of an answer in JSON. If a name stands twice, a parser keeps the last value. */
const ofJson = (text: string): HookVerdict => {
  const value = parsed(text)
  if (!isFields(value) || fields.some((name) => text.split(new RegExp(`"${name}"\\s{0,99}:`), 3).length > 2)) {
    return "UNCERTAIN"
  }
  const said = new Set(
    fields.filter((name) => Object.hasOwn(value, name)).map((name) => {
      const read = lineSaid(textOrNull(value[name]) ?? "", false)
      return read._tag === "Verdict" && read.firm ? read.said : "UNCERTAIN"
    })
  )
  const [only = "UNCERTAIN"] = said
  return said.size === 1 ? only : "UNCERTAIN"
}

const ofLines = (text: string): HookVerdict => {
  let found: Said | null = null
  for (const [i, line] of text.split("\n", bounds.lines).entries()) {
    const read = lineSaid(line, i === 0)
    if (found === "FAIL") {
      // Doubtful words further down take no FAIL back; a clear PASS does.
      if (read._tag === "Verdict" && read.said === "PASS" && read.firm) return "UNCERTAIN"
    } else if (read._tag === "Doubt") return "UNCERTAIN"
    else if (read._tag === "Verdict") {
      if (found !== null && found !== read.said) return "UNCERTAIN"
      found = read.said
    }
  }
  return found ?? "UNCERTAIN"
}

/** Reads the verdict of a review. What does not clearly say PASS or FAIL in its first five lines is uncertain. */
export const parseHookVerdict = (text: string): HookVerdict => {
  const whole = text.replace(/^\ufeff/, "").trim()
  const json = fenceAround.exec(whole)?.[1]?.trim() ?? whole
  return json.startsWith("{") ? ofJson(json) : ofLines(plain(whole.slice(0, bounds.characters)).trimStart())
}
