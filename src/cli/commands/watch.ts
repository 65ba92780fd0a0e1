// watch: the subcommand `watch`: shows what another process does for a run: its reviewers, agents and tests.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { isPlanRun } from "../../run/RunKind.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { watchPlanRun, watchRun } from "../../read/Watch.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { jsonLines, storeFlags } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly json: boolean
}

const flags = {
  ...runFlags,
  ...storeFlags,
  json: jsonLines
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.map(selectorOf(given), (selector) => ({ stateRoot: given.stateRoot, selector, json: given.json }))

/** Shows and writes until the batch is decided or the driver has ended, or until a signal. */
export const run = Effect.fn("watch.run")(function*({ json, selector, stateRoot }: Request, { cwd }: CallContext) {
  const found = yield* select(selector, { stateRoot, cwd: yield* cwd }, true)
  yield* isPlanRun(found) ? watchPlanRun(found, json) : watchRun(found, json)
  return exited(exits.done)
})

export const command = Command.make("watch", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
  about: [
    "shows the reviewers of a run that another process drives.",
    "",
    "It tells state, elapsed time and last activity. On a terminal each reviewer has one line, redrawn in place;",
    "else each change has one. Ends when the batch is decided, or on SIGINT. While `converge` or `implement` drives",
    "the run, rounds or cycles, agents and tests are shown, and the driver's end is the end. RUN is a run's id or the",
    "beginning of it; without one it is the newest run of this worktree. Looks only; exits 0, 1 when the log is",
    "damaged, 6 when it could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review watch --base main", description: "Watch what reviews the branch." }
  ]
}))
