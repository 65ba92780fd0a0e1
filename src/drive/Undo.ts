// Undo: a run's worktree put back to a snapshot.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { Git } from "../code/Git.ts"
import {
  beforeLastAgent,
  causeText,
  type Restored,
  shownName,
  type Snapshot,
  SnapshotFailed,
  Snapshots
} from "../code/Snapshots.ts"
import type { RunRef } from "../log/Refs.ts"
import { Count, documentText, RunName, runName, version } from "../run/Document.ts"
import { RunStore } from "../run/RunStore.ts"
import { ownerOf } from "../run/Owner.ts"
import { select, type Selector, type SearchPlace } from "../step/Selection.ts"
import { counted } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

// What an undo tells, and the list of snapshots, for people and for programs.

const partText = ({ leftOut }: Snapshot): string =>
  leftOut.length === 0 ? "" : `, without ${leftOut.map(shownName).join(", ")}`

/** One line a snapshot. */
export const snapshotsText = (run: RunRef, snapshots: ReadonlyArray<Snapshot>): string =>
  snapshots.length === 0
    ? `run ${run.runId} has no snapshots\n`
    : snapshots.map((one) => `${oneLine(`${one.number}  ${one.at}  ${causeText(one.cause)}${partText(one)}`)}\n`).join(
      ""
    )

/** A snapshot in a document. `agent`: the one that it was taken before or after. `to`: where an undo went. */
const SnapshotFields = Schema.Struct({
  number: Count,
  at: Schema.String,
  cause: Schema.Literals(["BeforeAgent", "AfterAgent", "BeforeUndo"]),
  agent: Schema.optionalKey(Count),
  to: Schema.optionalKey(Count),
  commit: Schema.String,
  leftOut: Schema.Array(Schema.String)
})

const fieldsOf = ({ at, cause: { _tag: cause, ...of }, commit, leftOut, number }: Snapshot) => ({
  number,
  at,
  cause,
  ...of,
  commit,
  leftOut: leftOut.map(shownName)
})

/** The document of `undo --list --json`. */
export class SnapshotList extends Schema.Class<SnapshotList>("SnapshotList")({
  schema: version,
  run: RunName,
  snapshots: Schema.Array(SnapshotFields)
}) {}

/** The same as one document. */
export const snapshotsJson = (run: RunRef, snapshots: ReadonlyArray<Snapshot>): string =>
  documentText(SnapshotList, { run: runName(run), snapshots: snapshots.map(fieldsOf) })

const leftText = (left: ReadonlyArray<string>): string =>
  left.length === 0 ? "" : `left as they are, because no snapshot holds them: ${left.map(shownName).join(", ")}\n`

/** What an undo did. */
export const undoneText = ({ left, removed, saved, to, written }: Restored): string => {
  const where = `snapshot ${to.number} (${to.at}, ${causeText(to.cause)})`
  if (saved === null) return `nothing to undo: the files are those of ${where}\n${leftText(left)}`
  const done = `${counted(written, "file")} written, ${removed} removed`
  return `back at ${where}: ${done} [undo --to ${saved.number} brings back what was there]\n${leftText(left)}`
}

/** The document of `undo --json`. */
export class Undone extends Schema.Class<Undone>("Undone")({
  schema: version,
  run: RunName,
  to: SnapshotFields,
  saved: Schema.NullOr(SnapshotFields),
  written: Count,
  removed: Count,
  left: Schema.Array(Schema.String)
}) {}

/** The same as one document. */
export const undoneJson = ({ left, removed, saved, to, written }: Restored): string =>
  documentText(Undone, {
    run: runName(to.run),
    to: fieldsOf(to),
    saved: saved === null ? null : fieldsOf(saved),
    written,
    removed,
    left: left.map(shownName)
  })

// Puts the worktree of a run back to one of its snapshots, or lists them.
// It works in the worktree of the run alone, and never beside an agent or a reviewer that still works there.

/** Nothing was undone, because of where or when it was asked for. */
export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** The run that a selector names, which has to be one of the worktree around the caller's directory. */
const ownRun = Effect.fnUntraced(function*(selector: Selector, where: SearchPlace) {
  const run = yield* select(selector, where)
  const git = yield* Git
  const owner = yield* ownerOf(run)
  const here = yield* Effect.option(git.repository(where.cwd))
  const root = here._tag === "Some" ? here.value.root : null
  if (owner._tag === "Worktree" && owner.path !== root) {
    const exists = yield* git.exists(owner.path)
    return yield* new UndoRefused({
      message: exists
        ? `run ${run.runId} is of another worktree; call this in ${owner.path}`
        : `the worktree of run ${run.runId} is gone: ${owner.path}`
    })
  }
  return { run, worktree: root ?? (yield* git.repository(where.cwd)).root }
})

/** The snapshots of a run, oldest first. */
export const snapshotsOf = Effect.fn("Undo.snapshotsOf")(function*(selector: Selector, where: SearchPlace) {
  const { run, worktree } = yield* ownRun(selector, where)
  return { run, snapshots: yield* (yield* Snapshots).list(run, worktree) }
})

/** The snapshot to go back to by itself: where agents began, whatever was undone since. */
const lastBefore = Effect.fnUntraced(function*(run: RunRef, worktree: string) {
  const found = beforeLastAgent(yield* (yield* Snapshots).list(run, worktree))
  return found?.number ?? (yield* new SnapshotFailed({ reason: { _tag: "NoneOfRun", run: run.runId } }))
})

/** Puts the worktree back to a snapshot by its number; null for the one before the last agent worked. */
export const undo = Effect.fn("Undo.undo")(function*(selector: Selector, to: number | null, where: SearchPlace) {
  const { run, worktree } = yield* ownRun(selector, where)
  if ((yield* (yield* RunStore).look(run)).reviewersAlive) {
    return yield* new UndoRefused({
      message: `an agent or a reviewer of run ${run.runId} still works [ooda-codex-review stop --run ${run.runId}]`
    })
  }
  const number = to ?? (yield* lastBefore(run, worktree))
  return { run, ...(yield* (yield* Snapshots).restore(run, worktree, number)) }
})
