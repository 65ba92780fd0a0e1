// Manifest: the folded state of a run; its public field names are the contract's.
// The one rule: state changes only by `evolve`; the same lines fold to the same manifest, on any machine, for ever.
import { type Batch, type Slot, type SlotOf, type StartedBatch } from "./Batch.ts"
import { type Commit, Event, type EventOf, type LevelOutcome, type StopCause } from "./Event.ts"
import type { Level } from "./Level.ts"
import { mode, type Mode, type Target, targetKey } from "./Target.ts"

/** One recorded outcome of a level. */
export interface LevelRecord {
  readonly level: Level
  readonly batch_number: number
  readonly outcome: LevelOutcome
  readonly at: string
}

/** The state of a run. */
export interface Manifest {
  readonly run_id: string
  readonly repo_id: string
  readonly mode: Mode
  readonly target_key: string
  readonly start_level: Level
  readonly current_level: Level
  readonly batch_size: number
  readonly batch_number: number
  readonly level_history: ReadonlyArray<LevelRecord>
  readonly created_at: string
  readonly target: Target
  readonly worktree: string
  /** The highest batch number opened so far at each level; 0 where none was. */
  readonly opened: Readonly<Record<Level, number>>
  readonly batches: number
  readonly batch: Batch
  /** The last line in which `stop`, a person or `--fresh` ended reviewers, and with them every step; 0 for none. */
  readonly stopped_at: number
  readonly fixed_point: { readonly level: Level; readonly batch: number; readonly ceiling: Level } | null
}

/** The manifest of a run that has just been created: batch 1 at the floor is current, and not started. */
export const initial = (created: EventOf<"RunCreated">): Manifest => ({
  run_id: created.runId,
  repo_id: created.repoId,
  mode: mode(created.target),
  target_key: targetKey(created.target),
  start_level: created.startLevel,
  current_level: created.startLevel,
  batch_size: created.batchSize,
  batch_number: 1,
  level_history: [],
  created_at: created.createdAt,
  target: created.target,
  worktree: created.worktree,
  opened: { low: 0, medium: 0, high: 0, xhigh: 0, [created.startLevel]: 1 },
  batches: 0,
  batch: { _tag: "NotStarted" },
  stopped_at: 0,
  fixed_point: null
})

type OfSlot = { readonly level: Level; readonly batch: number; readonly slot: number; readonly attempt: number }

const isCurrent = (manifest: Manifest, at: { readonly level: Level; readonly batch: number }): boolean =>
  at.level === manifest.current_level && at.batch === manifest.batch_number

const inBatch = (
  manifest: Manifest,
  at: { readonly level: Level; readonly batch: number },
  change: (batch: StartedBatch) => StartedBatch
): Manifest =>
  manifest.batch._tag === "Started" && isCurrent(manifest, at)
    ? { ...manifest, batch: change(manifest.batch) }
    : manifest

const inSlot = (manifest: Manifest, at: OfSlot, change: (slot: Slot) => Slot): Manifest =>
  inBatch(manifest, at, (batch) => ({
    ...batch,
    slots: batch.slots.map((slot) => slot.slot === at.slot ? change(slot) : slot)
  }))

/** What an attempt's end does to its slot; the end of an attempt that is no longer the open one says nothing. */
const ended = (manifest: Manifest, at: OfSlot, next: (slot: SlotOf<"Running">) => Slot): Manifest =>
  inSlot(manifest, at, (slot) => slot._tag === "Running" && slot.attempts === at.attempt ? next(slot) : slot)

const counts = ({ attempts, slot, tries }: Slot) => ({ slot, attempts, tries })

// A step that waits on a run which `--fresh` has replaced must not start its reviewers again: nobody would read them.
const endsSteps = (cause: StopCause): boolean => cause === "Stop" || cause === "Interrupt" || cause === "Fresh"

/** Running a failed batch again puts every failed slot back in the queue; finished reviews stay (decision L5). */
const requeued = (slot: Slot): Slot => slot._tag === "Failed" ? { ...counts(slot), _tag: "Queued", tries: 0 } : slot

/** The state after one event. `seq` and `at` are those of the line the event stands in. */
export const evolve = (manifest: Manifest, event: Event, seq: number, at: string): Manifest =>
  Event.match(event, {
    RunCreated: () => manifest,
    BatchStarted: ({ argv, base, identity, size, ...where }): Manifest =>
      isCurrent(manifest, where)
        ? {
            ...manifest,
            batch_size: size,
            batches: manifest.batches + 1,
            batch: {
              _tag: "Started",
              size,
              base,
              argv,
              identity,
              slots: Array.from({ length: size }, (_, i) => ({ _tag: "Queued", slot: i + 1, attempts: 0, tries: 0 })),
              completed: null,
              failedAt: 0,
              stopped: false
            }
          }
        : manifest,
    ReviewStarted: (e) => {
      const failed = manifest.batch._tag === "Started" && manifest.batch.failedAt > 0
      const reopened = inBatch(manifest, e, (batch) => ({
        ...batch,
        failedAt: 0,
        stopped: false,
        slots: failed ? batch.slots.map(requeued) : batch.slots
      }))
      return inSlot(reopened, e, (slot) => ({
        _tag: "Running",
        slot: slot.slot,
        attempts: e.attempt,
        tries: slot.tries + 1,
        id: e.id,
        since: at
      }))
    },
    ReviewFinished: (e) =>
      ended(manifest, e, (slot) => ({
        ...counts(slot),
        _tag: "Finished",
        verdict: e.verdict,
        reason: e.reason,
        source: e.source,
        findings: e.findings,
        files: { log: e.log, out: e.out, review: e.review ?? null }
      })),
    ReviewFailed: (e) =>
      ended(manifest, e, (slot) => ({
        ...counts(slot),
        _tag: "Failed",
        kind: e.kind,
        transient: e.transient,
        message: e.message,
        since: at
      })),
    ReviewStopped: (e) => {
      const noted = endsSteps(e.cause) ? { ...manifest, stopped_at: seq } : manifest
      const stopped = inBatch(noted, e, (batch) => ({ ...batch, stopped: true }))
      return ended(stopped, e, (slot) => ({ ...counts(slot), _tag: "Queued", tries: 0 }))
    },
    BatchCompleted: ({ identity, ...where }) =>
      inBatch(manifest, where, (batch) => ({ ...batch, completed: identity })),
    BatchFailed: (e) => inBatch(manifest, e, (batch) => ({ ...batch, failedAt: seq })),
    LevelOutcomeRecorded: ({ batch, level, outcome }): Manifest => ({
      ...manifest,
      level_history: [...manifest.level_history, { level, batch_number: batch, outcome, at }]
    }),
    BatchOpened: ({ batch, level }): Manifest => ({
      ...manifest,
      current_level: level,
      batch_number: batch,
      opened: { ...manifest.opened, [level]: Math.max(batch, manifest.opened[level]) },
      batch: { _tag: "NotStarted" },
      fixed_point: null
    }),
    FixedPointReached: ({ batch, ceiling, level }): Manifest => ({
      ...manifest,
      fixed_point: { level, batch, ceiling }
    }),
    AddressFailed: () => manifest,
    StepAborted: () => manifest,
    TailRepaired: () => manifest
  })

/** The state after further lines. Splits anywhere: folding in two parts gives the same manifest. */
export const replay = (manifest: Manifest, commits: Iterable<Commit>): Manifest => {
  let state = manifest
  for (const { at, events, seq } of commits) for (const event of events) state = evolve(state, event, seq, at)
  return state
}

/** The manifest of a whole log, or null when its first event is not the run's creation. */
export const fold = (commits: ReadonlyArray<Commit>): Manifest | null => {
  const first = commits[0]?.events.find((event) => event._tag === "RunCreated")
  return first === undefined ? null : replay(initial(first), commits)
}

/** The next unused batch number at a level; batch numbers are counted per level and never reused. */
export const nextBatch = (manifest: Manifest, level: Level): number => manifest.opened[level] + 1
