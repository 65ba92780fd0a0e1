// watch: the subcommand `watch`: shows the reviewers of a run that another process drives.
import { Effect, Result } from "effect"
import { path } from "../cli/values.ts"
import { select, type Selector } from "../runs/SelectRun.ts"
import { watchRun } from "../upkeep/Watch.ts"
import type { Called } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { selectorOf, runOptions } from "./selector.ts"
import { type CommandSpec, rootOptions, valueOf, type Words } from "./words.ts"

/** The current batch of one run. */
export interface Asked {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly json: boolean
}

/** The table of `watch`. */
export const spec: CommandSpec = {
  name: "watch",
  about: [
    "Shows the reviewers of a run that another process drives: state, elapsed time, last activity. On a terminal one",
    "line a reviewer, redrawn in place; else a line for each change. Ends when the batch is decided, or on SIGINT.",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this worktree. Looks only;",
    "exits 0, 1 when the log is damaged, 6 when it could not, 64 on misuse."
  ],
  operand: "RUN",
  options: [...runOptions, ...rootOptions, { option: "--json", metavar: null, text: "One JSON document a change." }]
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    return { stateRoot, selector, json: words.given("--json") !== null }
  })

/** Shows and writes until the batch is decided, or until a signal. */
export const run = Effect.fn("watch.run")(function*({ json, selector, stateRoot }: Asked, { cwd }: Called) {
  yield* watchRun(yield* select(selector, { stateRoot, cwd: yield* cwd }), json)
  return exited(exits.done)
})
