// status: the subcommand `status`: the state of one run, what happened in it, and what to call next.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { exits } from "../../platform/Failure.ts"
import { outputPage } from "../../platform/Page.ts"
import { Output } from "../../platform/Process.ts"
import { hasBegun, look } from "../../read/Look.ts"
import { statusJson, statusOfView, statusPage } from "../../read/Status.ts"
import { follow } from "../../read/Watch.ts"
import { selectBegun, type Selector } from "../../step/Selection.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { flagsFor, jsonLines, storeFlags } from "../options.ts"
import { namingOf, runFlags, selectorOf } from "../selector.ts"

/** A run, and whether to follow it until no process works on it. */
export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly follow: boolean
  readonly json: boolean
}

const flags = {
  ...flagsFor({
    follow: { flag: "--follow", kind: "switch", text: "Go on until no process works on the run, or until a signal." }
  }),
  ...runFlags,
  ...storeFlags,
  json: jsonLines
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.map(selectorOf(given), (selector) => ({
    stateRoot: given.stateRoot,
    selector,
    follow: given.follow,
    json: given.json
  }))

/** Writes the state of the run; an unreadable log has an exit code of its own. */
export const run = Effect.fn("status.run")(
  function*({ follow: follows, json, selector, stateRoot }: Request, { columns = null, cwd }: CallContext) {
    const found = yield* selectBegun(selector, { stateRoot, cwd: yield* cwd }, { hasBegun })
    const naming = yield* namingOf(selector, found)
    const view = yield* look(found)
    if (view.unread !== null && view.unread._tag !== "LogMissing") return yield* view.unread
    const page = yield* outputPage(columns)
    if (follows) yield* follow(found, json, naming, page)
    else {
      const status = yield* statusOfView(view, naming)
      yield* (yield* Output).write(json ? statusJson(status) : statusPage(status, page))
    }
    return exited(exits.done)
  }
)

export const command = Command.make("status", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
  about: [
    "shows how one run is, what happened in it, and what to call next.",
    "",
    "Per level: what was reviewed and found. Per round: what agents did and changed, and how the tests ended. Then how",
    "the run is: running, interrupted (the same call continues), needs you (why), or done. Then what is open, and",
    "commands to copy. RUN is a run's id or the beginning of it; without one it is the newest run of this worktree, of",
    "reviews or of a plan. Reads only; exits 0, 1 when the log is damaged, 6 when it could not, 64 on misuse.",
    "",
    "`runs` lists which runs there are, `findings` shows what was found, `audit` checks whether the log holds."
  ],
  examples: [
    { command: "ooda-codex-review status", description: "The newest run here." },
    { command: "ooda-codex-review status --follow", description: "Follow it while it runs." },
    { command: "ooda-codex-review status --base main --json", description: "The run against a branch, for a program." }
  ]
}))
