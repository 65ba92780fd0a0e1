// selector: how a subcommand's arguments name a run: at most once; without a name it is this worktree's newest.
import { Effect, Result } from "effect"
import type { Argument, Flag } from "effect/cli"
import { excludeEachOther, base, commit, pr } from "./targetOptions.ts"
import type { Value } from "./values.ts"
import type { RunRef } from "../log/Refs.ts"
import { CallPlace } from "../run/Naming.ts"
import type { Target } from "../run/Target.ts"
import type { Selector } from "../step/Selection.ts"
import { sharedSettings } from "./flags.ts"
import { flagAs, flagsFor, operand, optional, optionalOperand } from "./options.ts"

const prefix: Value<string> = (text) =>
  text === "" ? Result.fail("expected a run's id or the beginning of it") : Result.succeed(text)

const runOperand: Argument.Argument<string | null> = optionalOperand(
  operand("RUN", prefix, "A run's id or the beginning of it.")
)

/** The flag that names a run, if the argument is something else or a script prefers a flag. */
export const runFlag = (text: string): Flag.Flag<string | null> =>
  optional(flagAs({ flag: "--run", metavar: "RUN", kind: "text", text }, prefix))

/** The flags that name this worktree's latest run of a target. */
export const targetFlags = {
  ...flagsFor({ uncommitted: sharedSettings.uncommitted }),
  base: optional(flagAs(sharedSettings.base, base)),
  commit: optional(flagAs(sharedSettings.commit, commit)),
  pr: optional(flagAs(sharedSettings.pr, pr))
}

export const runFlags = {
  operand: runOperand,
  run: runFlag("The same as RUN."),
  ...targetFlags
}

interface Named {
  readonly operand: string | null
  readonly run: string | null
  readonly uncommitted: boolean
  readonly base: Target | null
  readonly commit: Target | null
  readonly pr: Target | null
}

/** How a caller named a run that was found, for the commands that are printed. */
export const namingOf = (selector: Selector, { runId }: RunRef) =>
  Effect.map(CallPlace, (place) => ({ ...place, run: selector._tag === "Newest" ? null : runId }))

/** The named run: by the beginning of its id, or as the latest of a target; else the newest. */
export const selectorOf = (given: Named): Result.Result<Selector, string> => {
  const uncommitted: Target | null = given.uncommitted ? { _tag: "Uncommitted" } : null
  const named = (by: string, prefix: string | null): ReadonlyArray<readonly [string, Selector]> =>
    prefix === null ? [] : [[by, { _tag: "Named", prefix }]]
  const latest = (by: string, target: Target | null): ReadonlyArray<readonly [string, Selector]> =>
    target === null ? [] : [[by, { _tag: "Latest", target }]]
  const all = [
    ...named("RUN", given.operand),
    ...named("--run", given.run),
    ...latest("--uncommitted", uncommitted),
    ...latest("--base", given.base),
    ...latest("--commit", given.commit),
    ...latest("--pr", given.pr)
  ]
  const [first] = all
  if (first === undefined) return Result.succeed({ _tag: "Newest" })
  return all.length > 1 ? Result.fail(excludeEachOther(all.map(([by]) => by))) : Result.succeed(first[1])
}
