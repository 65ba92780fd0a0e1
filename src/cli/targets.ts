// targets: the options that name a target, for a step and for the subcommands alike.
import { Result } from "effect"
import { parseBranch, parseCommit, parsePr, type Target } from "../core/run/Target.ts"
import type { Value } from "./values.ts"

type TargetOption = "--uncommitted" | "--base" | "--commit" | "--pr"

/** Each option with what its value makes of it; that of a switch is the empty text. */
export const targets: ReadonlyArray<readonly [TargetOption, Value<Target>]> = [
  ["--uncommitted", () => Result.succeed({ _tag: "Uncommitted" })],
  ["--base", (text) => Result.map(parseBranch(text), (branch) => ({ _tag: "Base", branch }))],
  ["--commit", (text) => Result.map(parseCommit(text), (sha) => ({ _tag: "Commit", sha }))],
  ["--pr", (text) => Result.map(parsePr(text), (number) => ({ _tag: "PullRequest", number }))]
]

/** What is wrong where none of them is given and one is needed. */
export const targetRequired = "one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required"

/** What is wrong where options are given that leave no sense together. */
export const excludeEachOther = (options: ReadonlyArray<string>): string =>
  `${options.join(" and ")} exclude each other`
