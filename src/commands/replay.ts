// replay: the subcommand `replay`: shows the events of a run, its manifest at one line, or its live tail.
import { Effect, Result } from "effect"
import { count, path } from "../cli/values.ts"
import { type ReplayOptions, replayRun } from "../history/Replay.ts"
import { select, type Selector } from "../runs/SelectRun.ts"
import type { Called } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { selectorOf, runOptions } from "./selector.ts"
import { type CommandSpec, rootOptions, valueOf, type Words } from "./words.ts"

/** One run, and how it is shown. */
export interface Asked extends ReplayOptions {
  readonly stateRoot: string | null
  readonly selector: Selector
}

/** The table of `replay`. */
export const spec: CommandSpec = {
  name: "replay",
  about: [
    "Shows a run event by event, and what each event changed in the manifest. RUN is a run's id or the beginning of",
    "it; without one it is the newest run of this worktree. Reads only; exits 0, 1 when the log is damaged (what",
    "stands before the damage is shown), 6 when it could not, 64 on misuse."
  ],
  operand: "RUN",
  options: [
    { option: "--at", metavar: "SEQ", text: "Print the manifest as it was after line SEQ instead." },
    { option: "--after", metavar: "SEQ", text: "Show only what follows line SEQ; 6 where there is no such line." },
    { option: "--follow", metavar: null, text: "Go on with what is committed next, until interrupted." },
    ...runOptions,
    ...rootOptions,
    { option: "--json", metavar: null, text: "One JSON document a line." }
  ]
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const at = yield* valueOf(words, "--at", count({ least: 1, most: Number.MAX_SAFE_INTEGER }), null)
    const after = yield* valueOf(words, "--after", count({ least: 0, most: Number.MAX_SAFE_INTEGER }), null)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const follow = words.given("--follow") !== null
    if (follow && at !== null) return yield* Result.fail("--at and --follow exclude each other")
    if (after !== null && at !== null) return yield* Result.fail("--at and --after exclude each other")
    return { stateRoot, selector, at, after: after ?? 0, follow, json: words.given("--json") !== null }
  })

/** Writes the replay as it goes. */
export const run = Effect.fn("replay.run")(function*(asked: Asked, { cwd }: Called) {
  const found = yield* select(asked.selector, { stateRoot: asked.stateRoot, cwd: yield* cwd })
  yield* replayRun(found, asked)
  return exited(exits.done)
})
