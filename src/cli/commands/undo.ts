// undo: the subcommand `undo`: restores the worktree to a snapshot from before an agent worked.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import {
  previewText,
  previewUndo,
  undo,
  undoable,
  undoableJson,
  undoableText,
  undoneJson,
  undoneText
} from "../../read/Undo.ts"
import type { UndoTo } from "../../code/Snapshots.ts"
import type { Selector } from "../../step/Selection.ts"
import { Output } from "../../platform/Process.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { flagsFor, json, rootFlags } from "../options.ts"
import type { Setting } from "../../run/Setting.ts"
import { runFlags, selectorOf } from "../selector.ts"

/** The run, and what to take back. */
export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly to: UndoTo
  readonly list: boolean
  readonly dryRun: boolean
  readonly force: boolean
  readonly partial: boolean
  readonly json: boolean
}

const bounds = { least: 1, most: 999_999 }

/** The settings of `undo`, by their names. */
export const undoSettings = {
  round: {
    flag: "--round",
    metavar: "N",
    kind: "count",
    bounds,
    otherwise: "the last round",
    text: "Take back round N and all later ones."
  },
  all: { flag: "--all", kind: "switch", text: "Take back all rounds." },
  to: {
    flag: "--to",
    metavar: "N",
    kind: "count",
    bounds,
    otherwise: "before the last round",
    text: "Take back all that was done since snapshot N, undos too."
  },
  list: { flag: "--list", kind: "switch", text: "List the rounds and snapshots of the run and change nothing." },
  dryRun: { flag: "--dry-run", kind: "switch", text: "Show what would be done, with the diff, and change nothing." },
  force: {
    flag: "--force",
    kind: "switch",
    text: "Take back files that you changed too. Undoing the undo brings your changes back."
  },
  allow: {
    flag: "--allow",
    metavar: "WHAT",
    kind: "word",
    words: ["partial-snapshot"],
    text: "Replace what cannot be saved first; it is moved aside."
  }
} as const satisfies Record<string, Setting>

const flags = {
  ...flagsFor(undoSettings),
  ...runFlags,
  ...rootFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

const targetOf = ({ all, round, to }: Pick<FlagValues, "all" | "round" | "to">): UndoTo =>
  all
    ? { _tag: "AllRounds" }
    : round !== null
    ? { _tag: "Round", round }
    : to !== null
    ? { _tag: "Snapshot", number: to }
    : { _tag: "LastRound" }

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { all, allow, dryRun, force, json, list, round, stateRoot, to } = given
    const asked = [
      ...(list ? ["--list"] : []),
      ...(all ? ["--all"] : []),
      ...(round === null ? [] : ["--round"]),
      ...(to === null ? [] : ["--to"])
    ]
    if (asked.length > 1) return yield* Result.fail(`${asked.join(" and ")} exclude each other`)
    const selector = yield* selectorOf(given)
    return { stateRoot, selector, to: targetOf(given), list, dryRun, force, partial: allow !== null, json }
  })

/** Lists, shows or undoes, and reports it. The exit code says if something was left. */
export const run = Effect.fn("undo.run")(
  function*({ dryRun, force, json, list, partial, selector, stateRoot, to }: Request, { cwd }: CallContext) {
    const where = { stateRoot, cwd: yield* cwd }
    const { write } = yield* Output
    if (list) {
      const list = yield* undoable(selector, where)
      yield* write(json ? undoableJson(list) : undoableText(list, stateRoot))
      return exited(exits.done)
    }
    if (dryRun) {
      const { diff, ...would } = yield* previewUndo(selector, to, { force, partial }, where)
      yield* write(json ? undoneJson(would, true) : previewText(would, diff, stateRoot))
      return exited(would.restored.left.length === 0 ? exits.done : exits.wrong)
    }
    const undone = yield* undo(selector, to, { force, partial }, where)
    yield* write(json ? undoneJson(undone, false) : undoneText(undone, stateRoot))
    const left = [...undone.earlier?.left ?? [], ...undone.restored.left]
    return exited(left.length === 0 ? exits.done : exits.wrong)
  }
)

export const command = Command.make("undo", flags).pipe(subcommand({
  read,
  run,
  about: [
    "takes back what agents and their tests changed in the files of the worktree.",
    "",
    "Without a flag it takes back the last round. What you changed stays: a file that you changed too is merged, or left",
    "and named where the changes touch. Your new files are never removed, and what may be yours is left. HEAD, index,",
    "stash, commits and ignored files stay as they are. What was there before is snapshotted, or moved aside where no",
    "snapshot holds it, so that an undo can be undone. RUN is a run's id or the beginning of it; without one it is the",
    "newest run of this worktree. Refused while a driver, an agent or a reviewer of the run works. An undo that was cut",
    "off is finished by the next call on the run. Exits 0, 1 when something was left, 6 when it could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review undo", description: "Take back the last round." },
    { command: "ooda-codex-review undo --list", description: "Show what can be taken back." },
    { command: "ooda-codex-review undo --dry-run --all", description: "Show what taking back all rounds would do." },
    { command: "ooda-codex-review undo --round 2", description: "Go back to before round 2." }
  ]
}))
