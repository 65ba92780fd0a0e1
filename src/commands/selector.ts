// selector: how a subcommand's arguments name a run: at most once, and without a name it is the newest.
import { Result } from "effect"
import type { Selector } from "../runs/SelectRun.ts"
import { excludeEachOther, targets } from "../cli/targets.ts"
import { type OptionSpec, valueOf, type Words } from "./words.ts"

/** The options that name the latest run of a target. */
export const targetOptions: ReadonlyArray<OptionSpec> = [
  { option: "--uncommitted", metavar: null, text: "The latest run of the working tree." },
  { option: "--base", metavar: "BRANCH", text: "The latest run against BRANCH." },
  { option: "--commit", metavar: "SHA", text: "The latest run of one commit." },
  { option: "--pr", metavar: "NUM", text: "The latest run of pull request NUM." }
]

/** The run that the words name: by the beginning of its id, or as the latest of a target; else the newest. */
export const selectorOf = (words: Words): Result.Result<Selector, string> => {
  const chosen = targets.filter(([option]) => words.given(option) !== null)
  const [first] = chosen
  if (chosen.length + (words.operand === null ? 0 : 1) > 1) {
    const all = [...(words.operand === null ? [] : ["RUN"]), ...chosen.map(([option]) => option)]
    return Result.fail(excludeEachOther(all))
  }
  if (words.operand !== null) return Result.succeed({ _tag: "Named", prefix: words.operand })
  if (first === undefined) return Result.succeed({ _tag: "Newest" })
  const [option, parser] = first
  return Result.map(valueOf(words, option, parser, null), (target): Selector =>
    target === null ? { _tag: "Newest" } : { _tag: "Latest", target })
}
