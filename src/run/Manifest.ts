// Manifest: the folded state of a run; its public field names are the contract's.
import { type Batch, evolveBatch, isBatchFact, noFields, startedBatch } from "./Batch.ts"
import { type Commit, isLogEvent } from "../log/StreamKind.ts"
import { evolveStrict, nothingCovered, type StrictState } from "./Cover.ts"
import { type Dismissal, replaceDismissal, withoutDismissal } from "./Dismissal.ts"
import type { Event, EventOf, LevelOutcome, StopCause } from "./Event.ts"
import type { Level } from "./Level.ts"
import { mode, type Mode, type Target, targetKey } from "./Target.ts"

export interface LevelRecord {
  readonly level: Level
  readonly batch_number: number
  readonly outcome: LevelOutcome
  readonly at: string
}

/** The state of a run without its history: its size does not grow with the log. */
export interface RunState {
  readonly run_id: string
  readonly repo_id: string
  readonly mode: Mode
  readonly target_key: string
  readonly start_level: Level
  readonly current_level: Level
  readonly batch_size: number
  readonly batch_number: number
  readonly created_at: string
  readonly target: Target
  readonly worktree: string
  /** The highest batch number opened so far at each level; 0 where none was opened. */
  readonly opened: Readonly<Record<Level, number>>
  readonly batches: number
  readonly batch: Batch
  /** The last line in which `stop`, a person or `--fresh` ended reviewers, and with them every step; 0 for none. */
  readonly stopped_at: number
  readonly fixed_point: { readonly level: Level; readonly batch: number; readonly ceiling: Level } | null
  /** Only in a strict run: which batch covers each level. */
  readonly strict?: StrictState
  /** Only in a strict run whose reviewers read frozen copies; earlier ones read the worktree. */
  readonly frozen?: true
  /** The commit whose dismissals count; present only if one was named. */
  readonly trust_from?: string
  /** Its id. Runs of earlier versions lack it, and use the commit that the name means now. */
  readonly trust_commit?: string
  /** The findings that were dismissed for this run, if any. */
  readonly dismissed?: ReadonlyArray<Dismissal>
}

export interface Manifest extends RunState {
  readonly level_history: ReadonlyArray<LevelRecord>
}

const notStarted: Batch = { _tag: "NotStarted" }

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
  batch: notStarted,
  stopped_at: 0,
  fixed_point: null,
  ...(created.strict === true ? { strict: nothingCovered } : {}),
  ...(created.frozen === true ? { frozen: true } : {}),
  ...(created.trustFrom === undefined ? {} : { trust_from: created.trustFrom }),
  ...(created.trustCommit === undefined ? {} : { trust_commit: created.trustCommit })
})

// A step that waits on a run that `--fresh` has replaced must not start reviewers again: no process would read their
// reviews.
const endsSteps = (cause: StopCause): boolean => cause === "Stop" || cause === "Interrupt" || cause === "Fresh"

/** The state with another batch. Written out, because a spread of this many fields costs twenty times as much. */
const withBatch = (state: RunState, batch: Batch, stopped_at: number): RunState => ({
  run_id: state.run_id,
  repo_id: state.repo_id,
  mode: state.mode,
  target_key: state.target_key,
  start_level: state.start_level,
  current_level: state.current_level,
  batch_size: state.batch_size,
  batch_number: state.batch_number,
  created_at: state.created_at,
  target: state.target,
  worktree: state.worktree,
  opened: state.opened,
  batches: state.batches,
  batch,
  stopped_at,
  fixed_point: state.fixed_point,
  ...(state.strict === undefined ? noFields : { strict: state.strict }),
  ...(state.frozen === undefined ? noFields : { frozen: state.frozen }),
  ...(state.trust_from === undefined ? noFields : { trust_from: state.trust_from }),
  ...(state.trust_commit === undefined ? noFields : { trust_commit: state.trust_commit }),
  ...(state.dismissed === undefined ? noFields : { dismissed: state.dismissed })
})

const withDismissal = (
  state: RunState,
  { _tag: _, reason: { text: reason }, ...finding }: EventOf<"FindingDismissed">,
  at: string
): RunState => ({
  ...state,
  dismissed: replaceDismissal(state.dismissed ?? [], { ...finding, reason, at, scope: "run" })
})

/** The state after one event. `seq` and `at` belong to the event's line. */
export const evolveState = (state: RunState, event: Event, seq: number, at: string): RunState => {
  const next = evolveRun(state, event, seq, at)
  if (next.strict === undefined) return next
  const strict = evolveStrict(next.strict, next, event, seq)
  return strict === next.strict ? next : { ...next, strict }
}

const evolveRun = (state: RunState, event: Event, seq: number, at: string): RunState => {
  if (isBatchFact(event)) {
    const stoppedAt = event._tag === "ReviewStopped" && endsSteps(event.cause) ? seq : state.stopped_at
    const current = event.level === state.current_level && event.batch === state.batch_number
    return state.batch._tag === "Started" && current
      ? withBatch(state, evolveBatch(state.batch, event, seq, at), stoppedAt)
      : stoppedAt === state.stopped_at
      ? state
      : { ...state, stopped_at: stoppedAt }
  }
  switch (event._tag) {
    case "BatchStarted":
      return event.level === state.current_level && event.batch === state.batch_number
        ? { ...state, batch_size: event.size, batches: state.batches + 1, batch: startedBatch(event) }
        : state
    case "BatchOpened":
      return {
        ...state,
        current_level: event.level,
        batch_number: event.batch,
        opened: { ...state.opened, [event.level]: Math.max(event.batch, state.opened[event.level]) },
        batch: notStarted,
        fixed_point: null
      }
    case "FixedPointReached":
      return { ...state, fixed_point: { level: event.level, batch: event.batch, ceiling: event.ceiling } }
    case "FindingDismissed":
      return withDismissal(state, event, at)
    case "DismissalWithdrawn":
      return { ...state, dismissed: withoutDismissal(state.dismissed ?? [], event.fingerprint) }
    case "RunCreated":
    case "LevelOutcomeRecorded":
    case "AddressFailed":
    case "BatchWaived":
    case "StepAborted":
      return state
  }
}

/** What an event adds to the history of levels, or null. `at` is the time of its line. */
export const recordOf = (event: Event, at: string): LevelRecord | null =>
  event._tag === "LevelOutcomeRecorded"
    ? { level: event.level, batch_number: event.batch, outcome: event.outcome, at }
    : null

/** The state after further lines, at their cost only; folding in two parts gives the same manifest. */
export const replay = (manifest: Manifest, commits: Iterable<Commit<Event>>): Manifest => {
  let state: RunState = manifest
  const added: Array<LevelRecord> = []
  for (const { at, events, seq } of commits) {
    for (const event of events) {
      if (isLogEvent(event)) continue
      state = evolveState(state, event, seq, at)
      const record = recordOf(event, at)
      if (record !== null) added.push(record)
    }
  }
  const { level_history } = manifest
  return { ...state, level_history: added.length === 0 ? level_history : [...level_history, ...added] }
}

/** The manifest after one event. `seq` and `at` belong to the event's line. */
export const evolve = (manifest: Manifest, event: Event, seq: number, at: string): Manifest =>
  replay(manifest, [{ seq, at, events: [event] }])

/** The manifest of a whole log, or null when its first event is not the run's creation. */
export const fold = (commits: ReadonlyArray<Commit<Event>>): Manifest | null => {
  const first = commits[0]?.events.find((event) => event._tag === "RunCreated")
  return first === undefined ? null : replay(initial(first), commits)
}

/** The next unused batch number at a level; batch numbers are counted per level and never reused. */
export const nextBatch = (manifest: RunState, level: Level): number => manifest.opened[level] + 1
