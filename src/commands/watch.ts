// watch: the arguments of `watch`.
// The one rule: it names a run as the readers of runs do.
import { Result } from "effect"
import type { WatchCommand } from "./Subcommand.ts"
import { path } from "../cli/values.ts"
import { selectorOf, targetOptions } from "./selector.ts"
import { type CommandSpec, rootOption, valueOf, type Words } from "./words.ts"

/** The table of `watch`. */
export const spec: CommandSpec = {
  name: "watch",
  about: [
    "Shows the reviewers of a run that another process drives: state, elapsed time, last activity. On a terminal one",
    "line a reviewer, redrawn in place; else a line for each change. Ends when the batch is decided, or on SIGINT.",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this repository. Looks only;",
    "exits 0, 6 when it could not, 64 on misuse."
  ],
  operand: "RUN",
  options: [...targetOptions, rootOption, { option: "--json", metavar: null, text: "One JSON document a change." }]
}

/** The command that the arguments describe, or what is wrong with them. */
export const command = (words: Words): Result.Result<WatchCommand, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    return { _tag: "Watch", stateRoot, selector, json: words.given("--json") !== null }
  })
