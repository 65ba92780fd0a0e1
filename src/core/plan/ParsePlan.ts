// ParsePlan: a plan file as a plan, or the first thing that is wrong with it.
import { Result } from "effect"
import { type Fault, firstOf, problemOf } from "./Fault.ts"
import { type Parts, partsOf } from "./FrontMatter.ts"
import type { Plan } from "./Plan.ts"
import { readPlan } from "./ReadPlan.ts"
import { type Node, readYaml } from "./Yaml.ts"

/** A plan, or on one line what is wrong with its file: the line and column, and what to do. */
export type ParsedPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problem: string }

/** A plan with the places of its values, which count from the start of the YAML. */
export interface PlacedPlan {
  readonly plan: Plan
  readonly root: Node
  readonly parts: Parts
}

/** The most characters of a plan file. */
export const longest = 8 * 1024 * 1024

/** The text of a file without its byte order mark, with `\n` at the ends of its lines. */
export const normalOf = (text: string): string => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")

/** The fault of a file that is too long. */
export const tooLong = (at: number): Fault => ({
  at,
  says: `a plan file has at most ${longest} characters`,
  remedy: "move what is long into other files"
})

/** Reads a plan with its places from a text as `normalOf` gives it. */
export const placedPlan = (text: string): Result.Result<PlacedPlan, Fault> => {
  if (text.length > longest) return Result.fail(tooLong(longest))
  return Result.flatMap(partsOf(text), (parts) => {
    const { faults, root } = readYaml(parts.yaml)
    const first = firstOf(faults)
    const plan = first !== undefined
      ? Result.fail(first)
      : root === null
      ? Result.fail({ at: 0, says: "the plan is empty", remedy: "write its tasks, each with title and description" })
      : Result.map(readPlan(root, parts.below), (plan) => ({ plan, root, parts }))
    return Result.mapError(plan, (fault) => ({ ...fault, at: fault.at + parts.start }))
  })
}

/**
 * Reads a plan file: YAML, or Markdown with YAML between two lines `---` at its head. A byte order mark and the kind of
 * line ends make no difference. Any text gives a plan or a problem.
 */
export const parsePlan = (text: string): ParsedPlan => {
  const normal = normalOf(text)
  return Result.match(placedPlan(normal), {
    onSuccess: ({ plan }): ParsedPlan => ({ ok: true, plan }),
    onFailure: (fault): ParsedPlan => ({ ok: false, problem: problemOf(normal, fault) })
  })
}
