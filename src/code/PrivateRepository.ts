// PrivateRepository: how long the private repositories of isolated batches stay, and when they are removed.
// A private repository stays until its batch is decided. A later step removes those that a killed step has left.
import { Effect } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { Git } from "./Git.ts"
import { type KeptCopy, RunStore } from "../run/RunStore.ts"
import { ownerOf } from "../run/Owner.ts"
import { read, refresh, type Run } from "../run/Run.ts"
import { recovered } from "../platform/Note.ts"

const stays = recovered("private repositories stay until a later call")

/** The copy that is still needed: the current batch's; between two batches the last one, to become the next. */
export const neededCopy = ({ manifest: { batch, fixed_point } }: Run): KeptCopy => {
  if (batch._tag === "NotStarted") return { _tag: fixed_point === null ? "Newest" : "None" }
  // A fixed point from before does not end a batch that still runs.
  const isOver = fixed_point !== null && batch.completed !== null
  return isOver || batch.isolated === undefined ? { _tag: "None" } : { _tag: "At", place: batch.isolated }
}

/** The private repository in which slots of the current batch are still to be reviewed, if it is missing; else null. */
export const lostRepository = Effect.fn("PrivateRepository.lostRepository")(function*({ manifest: { batch } }: Run) {
  if (batch._tag !== "Started" || batch.isolated === undefined) return null
  if (batch.slots.every(({ _tag }) => _tag === "Finished")) return null
  return (yield* (yield* Git).isIsolated(batch.isolated)) ? null : batch.isolated
})

/**
 * Removes the private repositories of a run that are no longer needed. A later call removes those that cannot be
 * removed now.
 */
export const tidy = Effect.fn("PrivateRepository.tidy")(function*(run: Run) {
  const { clearIsolated } = yield* RunStore
  yield* clearIsolated(run.ref, Effect.map(refresh(run), neededCopy))
}, Effect.catch(stays))

/** The copy of another run that living reviewers may read, as after a step that lost its run. */
const stillRead = Effect.fnUntraced(function*(other: RunRef) {
  const none: KeptCopy = { _tag: "None" }
  return (yield* (yield* RunStore).look(other)).reviewersAlive ? neededCopy(yield* read(other)) : none
})

/** The same for all older runs of the worktree, which are never resumed. */
export const tidyOlder = Effect.fn("PrivateRepository.tidyOlder")(function*({ manifest, ref }: Run) {
  const store = yield* RunStore
  for (const other of yield* store.withIsolated(ref)) {
    if (other.runId >= ref.runId) continue
    const owner = yield* ownerOf(other)
    const ours = owner._tag === "Worktree" && owner.path === manifest.worktree
    // A run that cannot be read must not stop the cleanup of the others.
    if (ours) yield* Effect.catch(store.clearIsolated(other, stillRead(other)), stays)
  }
}, Effect.catch(stays))
