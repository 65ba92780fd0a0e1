// ParsePlan: a plan file as a plan, or the first thing that is wrong with it.
import { Result } from "effect"
import { type Fault, firstOf, problemOf } from "./Fault.ts"
import { partsOf } from "./FrontMatter.ts"
import type { Plan } from "./Plan.ts"
import { readPlan } from "./ReadPlan.ts"
import { readYaml } from "./Yaml.ts"

/** A plan, or on one line what is wrong with its file: the line and column, and what to do. */
export type ParsedPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problem: string }

const longest = 8 * 1024 * 1024

const planIn = (text: string): Result.Result<Plan, Fault> => {
  if (text.length > longest) {
    const says = `a plan file has at most ${longest} characters: move what is long into other files`
    return Result.fail({ at: longest, says })
  }
  return Result.flatMap(partsOf(text), ({ below, start, yaml }) => {
    const { faults, root } = readYaml(yaml)
    const first = firstOf(faults)
    const plan = first !== undefined
      ? Result.fail(first)
      : root === null
      ? Result.fail({ at: 0, says: "the plan is empty: write its tasks, each with title and description" })
      : readPlan(root, below)
    return Result.mapError(plan, ({ at, says }) => ({ at: at + start, says }))
  })
}

/**
 * Reads a plan file: YAML, or Markdown with YAML between two lines `---` at its head. A byte order mark and the kind of
 * line ends make no difference. Any text gives a plan or a problem.
 */
export const parsePlan = (text: string): ParsedPlan => {
  const normal = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")
  return Result.match(planIn(normal), {
    onSuccess: (plan): ParsedPlan => ({ ok: true, plan }),
    onFailure: (fault): ParsedPlan => ({ ok: false, problem: problemOf(normal, fault) })
  })
}
