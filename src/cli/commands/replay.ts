// replay: the subcommand `replay`: shows the events of a run, its manifest at one line, or its live tail.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import type { Setting } from "../../run/Setting.ts"
import { count } from "../values.ts"
import { type ReplayOptions, replayRun } from "../../read/replay/Replay.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { flagAs, flagsFor, jsonLines, optional, storeFlags } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

/** One run, and how to show it. */
export interface Request extends ReplayOptions {
  readonly stateRoot: string | null
  readonly selector: Selector
}

const replaySettings = {
  at: { flag: "--at", metavar: "SEQ", kind: "text", text: "Print the manifest as it was after line SEQ instead." },
  after: {
    flag: "--after",
    metavar: "SEQ",
    kind: "text",
    text: "Show only what follows line SEQ; 6 where there is no such line."
  },
  follow: { flag: "--follow", kind: "switch", text: "Go on with what is committed next, until interrupted." }
} as const satisfies Record<string, Setting>

const lineFrom = (least: number) => count({ least, most: Number.MAX_SAFE_INTEGER })

const flags = {
  ...flagsFor(replaySettings),
  at: optional(flagAs(replaySettings.at, lineFrom(1))),
  after: optional(flagAs(replaySettings.after, lineFrom(0))),
  ...runFlags,
  ...storeFlags,
  json: jsonLines
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(given)
    const { after, at, follow, json, stateRoot } = given
    if (follow && at !== null) return yield* Result.fail("--at and --follow exclude each other")
    if (after !== null && at !== null) return yield* Result.fail("--at and --after exclude each other")
    return { stateRoot, selector, at, after: after ?? 0, follow, json }
  })

/** Writes the replay as it comes. */
export const run = Effect.fn("replay.run")(function*(asked: Request, { cwd }: CallContext) {
  const found = yield* select(asked.selector, { stateRoot: asked.stateRoot, cwd: yield* cwd })
  yield* replayRun(found, asked)
  return exited(exits.done)
})

export const command = Command.make("replay", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
  about: [
    "shows a run event by event, and what each event changed in the manifest.",
    "",
    "The events of its driver follow, and the tokens of the run, where some are known. RUN is a run's id or the",
    "beginning of it; without one it is the newest run of this worktree. Reads only; exits 0, 1 when a log is",
    "damaged (what comes before the damage is shown), 6 when it could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review replay", description: "Show the newest run here, event by event." },
    { command: "ooda-codex-review replay --follow --json", description: "Follow a live run, for a program." }
  ]
}))
