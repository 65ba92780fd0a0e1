// Document: a plan file with its text and the plan that it holds, or on one line what is wrong with it.
import { Result, Schema } from "effect"
import { exits } from "../../../platform/Failure.ts"
import { type Plan, planOf } from "./Plan.ts"
import { type Fault, type Node, problemOf, readYaml } from "./Yaml.ts"

/** A plan file that cannot be read or edited. Its message is one line and does not name the file. */
export class PlanError extends Schema.TaggedError<PlanError>()("PlanError", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** A plan with the places of its values, which count in the normal text: without byte order mark, lines end in `\n`. */
interface PlacedPlan {
  readonly plan: Plan
  readonly root: Node
  readonly normal: string
  /** What is below the front matter; null in a file that is all YAML. */
  readonly below: string | null
}

/** A plan file as it is, with its byte order mark and its own line ends. */
export interface PlanDocument extends PlacedPlan {
  readonly text: string
}

const longest = 8 * 1024 * 1024

const tooLong = `a plan file has at most ${longest} characters`
const shorter = "move what is long into other files"

const border = /^---[ \t]*$/m

/**
 * The YAML of a normal text, where it starts, and what is below the front matter; null if the front matter has no end.
 * A text that does not begin with a border is all YAML. The first border becomes a comment, which keeps YAML's places.
 */
const partsOf = (text: string) => {
  const [first = ""] = text.split("\n", 1)
  if (!border.test(first)) return { yaml: text, start: 0, below: null }
  const start = first.length + 1
  const rest = text.slice(start)
  const end = border.exec(rest)
  if (end === null) return null
  return { yaml: `#${text.slice(1, start + end.index)}`, start, below: rest.slice(end.index + end[0].length + 1) }
}

/** Whether a text without front matter is Markdown, such as a checklist. A heading of it is a comment of YAML. */
const isProse = (normal: string): boolean => {
  const first = normal.split("\n").find((line) => /^\s*[^\s#]/.test(line))
  return first !== undefined &&
    (/^[-*+] \[[ xX]\] /.test(first) || normal.startsWith("# ") && !/^\s*(?:[%{]|---|[^:]+:)/.test(first))
}

const faulty = (text: string, faults: ReadonlyArray<Fault>) => Result.fail(problemOf(text, faults) ?? "")

/** The plan in a normal text, or its first fault on one line. */
const placed = (normal: string): Result.Result<PlacedPlan, string> => {
  if (normal.length > longest) return faulty(normal, [{ at: longest, says: tooLong, remedy: shorter }])
  const parts = partsOf(normal)
  if (parts === null) {
    return faulty(normal, [{ at: 0, says: "the front matter has no end", remedy: "write a line --- below its YAML" }])
  }
  const { below, start, yaml } = parts
  if (below === null && isProse(normal)) {
    const says = "a plan begins with a line --- and its tasks in YAML"
    return faulty(normal, [{ at: 0, says, remedy: "ooda-codex-review implement --init FILE writes one to fill in" }])
  }
  const { faults, root } = readYaml(yaml)
  if (faults.length > 0) return faulty(normal, faults)
  if (root === null) {
    const remedy = "write its tasks, each with title and description"
    return faulty(normal, [{ at: start, says: "the plan is empty", remedy }])
  }
  const wrong: Array<Fault> = []
  const plan = planOf(root, below, wrong)
  return plan === undefined || wrong.length > 0
    ? faulty(normal, wrong)
    : Result.succeed({ plan, root, normal, below })
}

const normalOf = (text: string): string => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")

const decode = (bytes: Uint8Array, stream = false): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream })

/**
 * Reads a plan file: Markdown with YAML between two lines `---` at its head, or plain YAML. Any file gives a document,
 * or an error that names the first fault in it.
 */
export const readPlan = (file: Uint8Array): Result.Result<PlanDocument, PlanError> => {
  // A character has at most four bytes, so a larger file is not even decoded.
  const isLarge = file.length > 4 * longest
  const text = isLarge ? "" : decode(file)
  // What is not UTF-8 has other bytes as a text.
  const broken = isLarge ? 0 : new TextEncoder().encode(text).findIndex((byte, at) => byte !== file[at])
  const before = normalOf(decode(file.subarray(0, Math.max(broken, 0)), true))
  const fault = isLarge
    ? { at: 0, says: tooLong, remedy: shorter }
    : { at: before.length, says: "this is not UTF-8", remedy: "save the file as UTF-8" }
  const read = broken < 0 ? placed(normalOf(text)) : faulty(before, [fault])
  return Result.mapBoth(read, {
    onSuccess: (plan) => ({ ...plan, text }),
    onFailure: (message) => new PlanError({ message })
  })
}

/** A plan, or on one line what is wrong with its file: the line and column, and what to do. */
export type ParsedPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads a plan file: YAML, or Markdown with YAML between two lines `---` at its head. A byte order mark and the kind of
 * line ends make no difference. Any text gives a plan or a problem.
 */
export const parsePlan = (text: string): ParsedPlan =>
  Result.match(placed(normalOf(text)), {
    onSuccess: ({ plan }): ParsedPlan => ({ ok: true, plan }),
    onFailure: (problem): ParsedPlan => ({ ok: false, problem })
  })
