// selector: how a subcommand's arguments name a run: at most once, and without a name it is this worktree's newest.
import { Result } from "effect"
import type { Selector } from "../runs/SelectRun.ts"
import { excludeEachOther, targets } from "../cli/targets.ts"
import { type OptionSpec, valueOf, type Words } from "./words.ts"

/** The options that name a run: by its id, whosever it is, or as this worktree's latest of a target. */
export const runOptions: ReadonlyArray<OptionSpec> = [
  { option: "--run", metavar: "RUN", text: "The same as RUN." },
  { option: "--uncommitted", metavar: null, text: "The latest run of the working tree." },
  { option: "--base", metavar: "BRANCH", text: "The latest run against BRANCH." },
  { option: "--commit", metavar: "SHA", text: "The latest run of one commit." },
  { option: "--pr", metavar: "NUM", text: "The latest run of pull request NUM." }
]

/** The run that the words name: by the beginning of its id, or as the latest of a target; else the newest. */
export const selectorOf = (words: Words): Result.Result<Selector, string> => {
  const chosen = targets.filter(([option]) => words.given(option) !== null)
  const [first] = chosen
  const run = words.given("--run")
  const names = [...(words.operand === null ? [] : ["RUN"]), ...(run === null ? [] : ["--run"])]
  if (names.length + chosen.length > 1) {
    return Result.fail(excludeEachOther([...names, ...chosen.map(([option]) => option)]))
  }
  if (run === "") return Result.fail("--run cannot be empty")
  const prefix = run ?? words.operand
  if (prefix !== null) return Result.succeed({ _tag: "Named", prefix })
  if (first === undefined) return Result.succeed({ _tag: "Newest" })
  const [option, parser] = first
  return Result.map(
    valueOf(words, option, parser, null),
    (target): Selector => target === null ? { _tag: "Newest" } : { _tag: "Latest", target }
  )
}
