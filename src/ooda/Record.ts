// Record: commits an event for every reviewer that has ended, and the end of the batch with its last one.
// Several steps may see the same reviewer end. The step that commits first records it, and no other does.
import { Array, Effect } from "effect"
import type { Limits } from "../core/loop/Limits.ts"
import { assess, slotsOf, type StartedBatch } from "../core/run/Batch.ts"
import type { Event } from "../core/run/Event.ts"
import { type Identity, sameContent, undisturbed } from "../core/run/Identity.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import { commit, preview, type Run } from "../runs/Run.ts"
import { Environment, withoutRepository } from "../services/Environment.ts"
import { Git } from "../services/Git.ts"
import type { SeenReviewer } from "./Observe.ts"
import { isOver, reviewEvent } from "./ReviewEvent.ts"

/** A run after the events of its reviewers were recorded. */
export interface Recorded {
  readonly run: Run
  /** The identity of the target, where it was computed just now because the batch became complete. */
  readonly completed: Identity | null
}

// A line of the log holds at most 64 KiB; the events of this many reviewers always fit, whatever their messages hold.
const perLine = 16

const changed = "the private repository of the batch was changed or removed while its reviewers ran"

/**
 * What a private repository showed from beginning to end: its contents at the start, unless they differ now, or did in
 * between. That counts in every run, strict or not. Batches of earlier versions have no mark of what was in between.
 */
const isolatedIdentity = Effect.fnUntraced(function*({ target }: Manifest, batch: StartedBatch, place: string) {
  const { base, copy, identity } = batch
  const looked = (yield* Git).identity(place, target, base)
  const now = yield* Effect.updateService(looked, Environment, withoutRepository)
  const rested = copy === undefined || undisturbed(copy, now)
  const same = rested && sameContent(identity, now) === "Same" && identity.head === now.head
  return same ? identity : { _tag: "Unknown", why: changed, head: null, tree: null } satisfies Identity
})

/** The event that settles the batch once these events are in, or null while slots are open or it is settled. */
const settlement = Effect.fnUntraced(function*(run: Run, events: ReadonlyArray<Event>, retries: number) {
  const next = preview(run, events)
  const { batch, batch_number, current_level } = next
  if (batch._tag === "NotStarted") return null
  const status = assess(batch, retries)
  const place = { level: current_level, batch: batch_number }
  if (status._tag === "Failed" && batch.failedAt === 0) {
    return { _tag: "BatchFailed", ...place, slots: status.failed.map(({ slot }) => slot) } satisfies Event
  }
  if (status._tag !== "Complete" || batch.completed !== null) return null
  const identity = batch.isolated === undefined
    ? yield* (yield* Git).identity(next.worktree, next.target, batch.base)
    : yield* isolatedIdentity(next, batch, batch.isolated)
  return { _tag: "BatchCompleted", ...place, identity } satisfies Event
})

const isOpen = ({ manifest: { batch } }: Run, { attempt }: SeenReviewer): boolean =>
  batch._tag === "Started" && slotsOf(batch, "Running").some(({ id }) => id === attempt.id)

const lineOf = Effect.fnUntraced(
  function*(run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits, acting: boolean) {
    const events = yield* Effect.forEach(seen, (one) => reviewEvent(one, limits, acting))
    const reviews = events.filter((event) => event !== null)
    const settled = yield* settlement(run, reviews, limits.retries)
    return settled === null ? reviews : [...reviews, settled]
  }
)

/** What the worktree showed when a line completed the batch; null where the reviewers read a private repository. */
const completedBy = ({ manifest: { batch } }: Run, line: ReadonlyArray<Event>): Identity | null =>
  batch._tag === "Started" && batch.isolated !== undefined
    ? null
    : line.find((event) => event._tag === "BatchCompleted")?.identity ?? null

const inLines = Effect.fnUntraced(
  function*(run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits, acting: boolean) {
    const over = seen.filter((one) => isOver(one, limits))
    const parts: ReadonlyArray<ReadonlyArray<SeenReviewer>> = over.length === 0 ? [[]] : Array.chunksOf(over, perLine)
    const nothing: Recorded = { run, completed: null }
    return yield* Effect.reduce(
      parts,
      () => nothing,
      Effect.fnUntraced(function*(before, part) {
        // Another process may have recorded the rest since the line before this one.
        const open = part.filter((one) => isOpen(before.run, one))
        const line = yield* lineOf(before.run, open, limits, acting)
        if (line.length === 0) return before
        const after = acting
          ? yield* commit(before.run, line)
          : { ...before.run, manifest: preview(before.run, line) }
        return { run: after, completed: completedBy(after, line) } satisfies Recorded
      })
    )
  }
)

/**
 * Records what was seen: one line, or several for more reviewers than fit. Reviewers past a limit are ended.
 * LogConflict when another process recorded first.
 */
export const record = Effect.fn("Record.record")((run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits) =>
  inLines(run, seen, limits, true)
)

/** The run as it would be with what was seen recorded. Nothing is committed, ended or written. */
export const foresee = Effect.fn("Record.foresee")((run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits) =>
  inLines(run, seen, limits, false)
)
