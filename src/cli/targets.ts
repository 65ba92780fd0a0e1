// targets: the options that name a target, for a step and for the subcommands alike.
import { Result } from "effect"
import { parseBranch, parseCommit, parsePr, type Target } from "../core/run/Target.ts"
import type { Value } from "./values.ts"

type TargetOption = "--uncommitted" | "--base" | "--commit" | "--pr"

/** The target of `--base`. */
export const base: Value<Target> = (text) => Result.map(parseBranch(text), (branch) => ({ _tag: "Base", branch }))

/** The target of `--commit`. */
export const commit: Value<Target> = (text) => Result.map(parseCommit(text), (sha) => ({ _tag: "Commit", sha }))

/** The target of `--pr`. */
export const pr: Value<Target> = (text) => Result.map(parsePr(text), (number) => ({ _tag: "PullRequest", number }))

/** Each option of a step with the target that its value names. The value of a switch is the empty text. */
export const targets: ReadonlyArray<readonly [TargetOption, Value<Target>]> = [
  ["--uncommitted", () => Result.succeed({ _tag: "Uncommitted" })],
  ["--base", base],
  ["--commit", commit],
  ["--pr", pr]
]

/** The message where one of them is needed and none is given. */
export const targetRequired = "one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required"

/** The message about options that contradict each other. */
export const excludeEachOther = (options: ReadonlyArray<string>): string =>
  `${options.join(" and ")} exclude each other`
