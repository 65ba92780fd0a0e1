// Observe: one look at the open attempts of the current batch, and the events that what was seen amounts to.
// The one rule: a reviewer that ended is recorded once, by whoever sees it first; a verdict comes from its files.
import { Effect } from "effect"
import { assess, slotsOf } from "../core/run/Batch.ts"
import type { Event } from "../core/run/Event.ts"
import type { Identity } from "../core/run/Identity.ts"
import { type FailureKind, isTransient, remedy } from "../core/run/FailureKind.ts"
import { judge } from "../core/verdict/Judge.ts"
import type { Level } from "../core/run/Level.ts"
import type { ReviewerState } from "../core/run/ReviewerState.ts"
import { type Attempt, Reviewers } from "../services/Reviewers.ts"
import { Git } from "../services/Git.ts"
import { ReviewFiles } from "../services/ReviewFiles.ts"
import { type Limits, type Overdue, overdue, whileDoing } from "../core/loop/Limits.ts"
import { commit, preview, type Run, runningAttempt } from "../runs/Run.ts"

/** A running slot with its attempt and what one look showed of it. */
export interface Seen {
  readonly place: {
    readonly level: Level
    readonly batch: number
    readonly slot: number
    readonly attempt: number
  }
  readonly attempt: Attempt
  readonly sighting: ReviewerState
}

// A line of the log holds at most 64 KiB; the events of this many reviewers always fit, whatever their messages hold.
const perLine = 16
const longestDetail = 400

/** Looks once at every open attempt of the current batch. With `acting` false it only looks. */
export const observe = Effect.fn("Observe.observe")(function*(run: Run, acting = true) {
  const { batch, batch_number, current_level } = run.manifest
  if (batch._tag === "NotStarted") return []
  const running = slotsOf(batch, "Running")
  if (running.length === 0) return []
  const codex = yield* Reviewers
  const attempts = running.map((slot) => runningAttempt(run, slot))
  const sightings = yield* codex.look(attempts, { acting })
  return running.flatMap((slot, i): ReadonlyArray<Seen> => {
    const attempt = attempts[i]
    const sighting = sightings[i]
    return attempt === undefined || sighting === undefined
      ? []
      : [{
          place: { level: current_level, batch: batch_number, slot: slot.slot, attempt: attempt.attempt },
          attempt,
          sighting
        }]
  })
})

const failed = ({ place }: Seen, kind: FailureKind, detail: string, exit: number | null): Event => ({
  _tag: "ReviewFailed",
  ...place,
  kind,
  transient: isTransient(kind),
  message: `${kind}: ${detail.slice(0, longestDetail)} (${remedy(kind)})`,
  exit
})

/** A detail with what the reviewer did last; without it where its transcript cannot be read. */
const withActivity = Effect.fnUntraced(function*({ attempt }: Seen, detail: string) {
  const files = yield* ReviewFiles
  return yield* files.evidence(attempt.files, { acting: false }).pipe(
    Effect.match({ onFailure: () => detail, onSuccess: ({ logTail }) => whileDoing(detail, logTail) })
  )
})

/** Ends a reviewer past a limit. One that finished by itself meanwhile is judged like any other. */
const ended = Effect.fnUntraced(function*(seen: Seen, { detail, kind }: Overdue) {
  const codex = yield* Reviewers
  yield* codex.stop([seen.attempt])
  const [after] = yield* codex.look([seen.attempt])
  return after?._tag === "Exited" && after.status === 0
    ? yield* exited(seen, after)
    : failed(seen, kind, kind === "Idle" ? yield* withActivity(seen, detail) : detail, null)
})

const exited = Effect.fnUntraced(function*(
  seen: Seen,
  sighting: Extract<ReviewerState, { readonly _tag: "Exited" }>,
  acting = true
) {
  const { status } = sighting
  if (sighting.deadline) {
    return failed(seen, "Deadline", yield* withActivity(seen, "the reviewer ran into its deadline"), status)
  }
  if (sighting.oversize === true) return failed(seen, "TranscriptTooLarge", "the transcript outgrew its limit", status)
  const evidence = yield* (yield* ReviewFiles).evidence(seen.attempt.files, { acting })
  const judged = judge(evidence, status)
  if (judged._tag === "Failed") return failed(seen, judged.kind, judged.message, status)
  const { review, ...digests } = evidence.digests
  return {
    _tag: "ReviewFinished",
    ...seen.place,
    verdict: judged.verdict,
    reason: judged.reason,
    source: judged.source,
    findings: judged.findings.length,
    ...digests,
    ...(review === null ? {} : { review })
  } satisfies Event
})

/** The event that a sighting amounts to, or null for a reviewer that goes on. Acting ends reviewers past a limit. */
const recorded = Effect.fnUntraced(function*(seen: Seen, limits: Limits, acting: boolean) {
  const { sighting } = seen
  const late = overdue(sighting, limits)
  if (late !== null) {
    return acting ? yield* ended(seen, late) : failed(seen, late.kind, late.detail, null)
  }
  switch (sighting._tag) {
    case "Alive":
      return null
    case "Lost":
      return failed(seen, "Lost", "the reviewer died without leaving an exit status", null)
    case "Unstarted":
      return failed(seen, "Unstarted", "the reviewer was never started", null)
    case "Exited":
      return yield* exited(seen, sighting, acting)
  }
})

/** The line that what was seen amounts to, with the batch's settlement once every slot is settled. */
const lineOf = Effect.fnUntraced(function*(run: Run, seen: ReadonlyArray<Seen>, limits: Limits, acting: boolean) {
  const over = seen.filter(({ sighting }) => sighting._tag !== "Alive" || overdue(sighting, limits) !== null)
  const found = yield* Effect.forEach(over.slice(0, perLine), (one) => recorded(one, limits, acting))
  const events = found.filter((event) => event !== null)
  const settled = yield* settlement(run, events, limits.retries)
  return settled === null ? events : [...events, settled]
})

/**
 * Records what was seen, in one line. Returns the run as it stands then. LogConflict when another process recorded
 * first.
 */
export const orient = Effect.fn("Observe.orient")(function*(run: Run, seen: ReadonlyArray<Seen>, limits: Limits) {
  const line = yield* lineOf(run, seen, limits, true)
  return line.length === 0 ? run : yield* commit(run, line)
})

/**
 * The identity that a look just computed when it completed the batch; null where it did not, or where another process
 * had done so at some earlier time: code may have changed since then.
 */
export const completedBy = (before: Run, after: Run): Identity | null => {
  const completed = ({ manifest: { batch } }: Run) => batch._tag === "Started" ? batch.completed : null
  return completed(before) === null ? completed(after) : null
}

/** The run as the next step would see it, without recording, ending or writing anything. */
export const foresee = Effect.fn("Observe.foresee")(function*(run: Run, limits: Limits) {
  let state = run
  while (true) {
    const line = yield* lineOf(state, yield* observe(state, false), limits, false)
    if (line.length === 0) return state
    state = { ...state, manifest: preview(state, line) }
  }
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
  const identity = yield* (yield* Git).identity(next.worktree, next.target, batch.base)
  return { _tag: "BatchCompleted", ...place, identity } satisfies Event
})
