// undo: the subcommand `undo`: puts the worktree back to a snapshot that was taken before an agent worked.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { snapshotsJson, snapshotsOf, snapshotsText, undo, undoneJson, undoneText } from "../../drive/Undo.ts"
import type { Selector } from "../../step/Selection.ts"
import { Output } from "../../platform/Process.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { flagOf, json, rootFlags, switchFlag } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

/** The run, and the snapshot to go back to; null is the one before the last agent worked. */
export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly to: number | null
  readonly list: boolean
  readonly json: boolean
}

const flags = {
  to: flagOf({
    flag: "--to",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 999_999 },
    otherwise: "before the last agent worked",
    text: "Back to snapshot N."
  }),
  list: switchFlag("list", "List the snapshots of the run and change nothing."),
  ...runFlags,
  ...rootFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { json, list, stateRoot, to } = given
    if (list && to !== null) return yield* Result.fail("--list and --to exclude each other")
    return { stateRoot, selector: yield* selectorOf(given), to, list, json }
  })

/** Lists, or undoes and says what it did. */
export const run = Effect.fn("undo.run")(
  function*({ json, list, selector, stateRoot, to }: Request, { cwd }: CallContext) {
    const where = { stateRoot, cwd: yield* cwd }
    const { write } = yield* Output
    if (list) {
      const found = yield* snapshotsOf(selector, where)
      yield* write((json ? snapshotsJson : snapshotsText)(found.run, found.snapshots))
    } else yield* write((json ? undoneJson : undoneText)(yield* undo(selector, to, where)))
    return exited(exits.done)
  }
)

export const command = Command.make("undo", flags).pipe(subcommand({
  read,
  run,
  about: [
    "puts the files of the worktree back to a snapshot of the run.",
    "",
    "A snapshot is taken before an agent works, and before each undo, so that an undo can be undone. Without --to it",
    "goes back to where the last agent began. What came since is removed. HEAD, index and stash stay as they are, also",
    "in the middle of a merge; ignored files and what a snapshot left out are not touched. RUN is a run's id or the",
    "beginning of it; without one it is the newest run of this worktree. Refused while an agent or a reviewer of the",
    "run works. An undo that was cut off is finished by the next call on the run. Exits 0, 6 when it could not, 64 on",
    "misuse."
  ],
  examples: [
    { command: "ooda-codex-review undo", description: "Undo what the last agent did." },
    { command: "ooda-codex-review undo --list", description: "Show what can be gone back to." },
    { command: "ooda-codex-review undo --to 3", description: "Go back to snapshot 3." }
  ]
}))
