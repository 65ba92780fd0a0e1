// selector: how a subcommand's arguments name a run.
// The one rule: one name at most; without any it is the newest run.
import { Result } from "effect"
import type { Selector } from "../runs/SelectRun.ts"
import { parseBranch, parseCommit, parsePr, type Target } from "../core/run/Target.ts"
import type { Value } from "../cli/values.ts"
import { type OptionSpec, valueOf, type Words } from "./words.ts"

/** The options that name the latest run of a target. */
export const targetOptions: ReadonlyArray<OptionSpec> = [
  { option: "--uncommitted", metavar: null, text: "The latest run of the working tree." },
  { option: "--base", metavar: "BRANCH", text: "The latest run against BRANCH." },
  { option: "--commit", metavar: "SHA", text: "The latest run of one commit." },
  { option: "--pr", metavar: "NUM", text: "The latest run of pull request NUM." }
]

const targets: ReadonlyArray<readonly [string, Value<Target>]> = [
  ["--uncommitted", () => Result.succeed({ _tag: "Uncommitted" })],
  ["--base", (text) => Result.map(parseBranch(text), (branch) => ({ _tag: "Base", branch }))],
  ["--commit", (text) => Result.map(parseCommit(text), (sha) => ({ _tag: "Commit", sha }))],
  ["--pr", (text) => Result.map(parsePr(text), (number) => ({ _tag: "PullRequest", number }))]
]

/** The run that the words name: by the beginning of its id, or as the latest of a target; else the newest. */
export const selectorOf = (words: Words): Result.Result<Selector, string> => {
  const chosen = targets.filter(([option]) => words.given(option) !== null)
  const [first] = chosen
  if (chosen.length + (words.operand === null ? 0 : 1) > 1) {
    const all = [...(words.operand === null ? [] : ["RUN"]), ...chosen.map(([option]) => option)]
    return Result.fail(`${all.join(" and ")} exclude each other`)
  }
  if (words.operand !== null) return Result.succeed({ _tag: "Named", prefix: words.operand })
  if (first === undefined) return Result.succeed({ _tag: "Newest" })
  const [option, parser] = first
  return Result.map(valueOf(words, option, parser, null), (target): Selector =>
    target === null ? { _tag: "Newest" } : { _tag: "Latest", target })
}
