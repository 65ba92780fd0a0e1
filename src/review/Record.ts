// Record: commits an event for every reviewer that has ended, and the end of the batch with its last one.
// If several steps see the same reviewer end, only the first commit records it.
import { Array, Effect } from "effect"
import { isBelow, leastCodex } from "../agent/Versions.ts"
import { Git } from "../code/Git.ts"
import { recovered } from "../platform/Note.ts"
import { assess, slotsOf, type StartedBatch } from "../run/Batch.ts"
import type { Event } from "../run/Event.ts"
import type { Identity } from "../run/Identity.ts"
import { type FailureKind, isTransient, remedy } from "../run/FailureKind.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import { commit, preview, type Run } from "../run/Run.ts"
import type { Usage } from "../run/Usage.ts"
import { type Limits, type Overdue, overdue, whileDoing } from "./Limits.ts"
import type { SeenReviewer } from "./Observe.ts"
import { ReviewFiles } from "./ReviewFiles.ts"
import { Reviewers } from "./Reviewers.ts"
import { judge, killed } from "./verdict/Judge.ts"
import { banner } from "./verdict/Transcript.ts"
import { cut } from "../text/Untrusted.ts"

type Exited = Extract<ReviewerState, { readonly _tag: "Exited" }>

const longestDetail = 400

const placeOf = ({ attempt: { attempt, batch, level, slot } }: SeenReviewer) => ({ level, batch, slot, attempt })

/** The usage of an attempt, as a field of its event; no field if unknown. */
const used = (usage: Usage | undefined) => usage === undefined ? {} : { usage }

const failed = (
  seen: SeenReviewer,
  kind: FailureKind,
  detail: string,
  exit: number | null,
  usage?: Usage
): Event => ({
  _tag: "ReviewFailed",
  ...placeOf(seen),
  kind,
  transient: isTransient(kind),
  message: `${kind}: ${cut(detail, longestDetail)} (${remedy(kind, cut(detail, longestDetail))})`,
  exit,
  ...used(usage)
})

/** The external cause of a reviewer's end: a limit that it reached, or a death without an exit status. */
interface Struck {
  readonly kind: FailureKind
  readonly detail: string
}

const struckBy = ({ deadline, oversize }: Exited): Struck | null => {
  if (deadline) return { kind: "Deadline", detail: "the reviewer ran into its deadline" }
  return oversize === true
    ? { kind: "TranscriptTooLarge", detail: "the transcript is larger than its limit" }
    : null
}

const detailOf = ({ detail, kind }: Struck, logTail: string): string =>
  kind === "Deadline" || kind === "Idle" ? whileDoing(detail, logTail) : detail

/** The input of judging an ended reviewer: what struck it, and the status for a failure. */
interface Judging {
  readonly acting: boolean
  readonly strict: boolean
  readonly struck: Struck | null
  readonly exit: number | null
}

/**
 * Judges a reviewer that has ended. A finished review counts, whatever ended the process; otherwise a limit is the
 * cause.
 */
const exited = Effect.fnUntraced(
  function*(seen: SeenReviewer, state: Exited, { acting, exit, strict, struck }: Judging) {
    const read = (yield* ReviewFiles).evidence(seen.attempt, { acting })
    const evidence = yield* struck === null ? read : read.pipe(
      Effect.tapError(recovered("the failure is recorded without what the reviewer did last")),
      Effect.orElseSucceed(() => null)
    )
    if (evidence === null) return failed(seen, struck?.kind ?? "Unknown", struck?.detail ?? "", exit)
    const judged = judge(evidence, state.status)
    // A reviewer may exit well when it is killed: then the transcript, which was cut, does not prove its last words.
    if (struck !== null && (judged._tag === "Failed" || judged.source === "marker")) {
      return failed(seen, struck.kind, detailOf(struck, evidence.logTail), exit, evidence.usage)
    }
    if (judged._tag === "Failed") return failed(seen, judged.kind, judged.message, exit, evidence.usage)
    // Older versions review at another effort than requested. An unreadable version does not prove an older one.
    const version = banner(evidence.logHead).version ?? ""
    if (strict && isBelow(version, leastCodex)) {
      const detail = `codex ${version} reviewed; a strict run needs ${leastCodex.join(".")}`
      return failed(seen, "OutdatedProgram", detail, exit, evidence.usage)
    }
    const { review, ...digests } = evidence.digests
    return {
      _tag: "ReviewFinished",
      ...placeOf(seen),
      verdict: judged.verdict,
      reason: judged.reason,
      source: judged.source,
      rules: judged.rules,
      findings: judged.findings.length,
      read: judged.read,
      ...digests,
      ...(review === null ? {} : { review }),
      ...used(evidence.usage)
    } satisfies Event
  }
)

// The status of a death by SIGTERM.
const terminated = 143

const lost: Struck = { kind: "Lost", detail: "the reviewer died without leaving an exit status" }

/** Judges a reviewer without an exit status: its review counts if codex had recorded it. */
const died = (seen: SeenReviewer, acting: boolean, strict: boolean, struck: Struck = lost) =>
  exited(seen, { _tag: "Exited", status: killed, deadline: false }, { acting, strict, struck, exit: null })

/**
 * Ends a reviewer past a limit, or one that has answered. Whatever it has finished by then is judged like any other.
 */
const ended = Effect.fnUntraced(function*(seen: SeenReviewer, { detail, kind }: Overdue, strict: boolean) {
  const reviewers = yield* Reviewers
  yield* reviewers.stop([seen.attempt])
  const [after] = yield* reviewers.look([seen.attempt])
  const struck = kind === "Answered" ? null : { kind, detail }
  if (after?._tag === "Exited") {
    // A reviewer that has answered and is ended may exit with any status.
    const state = struck === null && after.status > 0 ? { ...after, status: Math.max(after.status, terminated) } : after
    return yield* exited(seen, state, { acting: true, strict, struck, exit: struck === null ? after.status : null })
  }
  return after?._tag === "Lost" || struck === null
    ? yield* died(seen, true, strict, struck ?? lost)
    : failed(seen, struck.kind, struck.detail, null)
})

/** Whether a reviewer has ended or must be ended, so that there is something to record. */
export const isOver = ({ state }: SeenReviewer, limits: Limits): boolean =>
  state._tag !== "Alive" || overdue(state, limits) !== null

/** The event to record for a reviewer, or null; with `acting` a reviewer past a limit is ended and its files kept. */
export const reviewEvent = Effect.fn("Record.reviewEvent")(
  function*(seen: SeenReviewer, limits: Limits, acting: boolean, strict = false) {
    const { state } = seen
    switch (state._tag) {
      case "Alive": {
        const late = overdue(state, limits)
        if (late === null) return null
        if (acting) return yield* ended(seen, late, strict)
        return late.kind === "Answered" ? null : failed(seen, late.kind, late.detail, null)
      }
      case "Lost":
        return yield* died(seen, acting, strict)
      case "Unstarted":
        return failed(seen, "Unstarted", "the reviewer was never started", null)
      case "Exited":
        return yield* exited(seen, state, { acting, strict, struck: struckBy(state), exit: state.status })
    }
  }
)

/** A run after the events of its reviewers were recorded. */
export interface RecordedRun {
  readonly run: Run
  /** The identity of the target, if it was computed just now because the batch became complete. */
  readonly completed: Identity | null
}

// A line of the log holds at most 64 KiB; the events of this many reviewers always fit, whatever their messages.
const perLine = 16

// An event has room for this many paths.
const mostPaths = 3

/** The identity of the reviewers' copy: as laid out, or unknown if the copy has changed. */
const isolatedIdentity = Effect.fnUntraced(function*(run: Run, { identity }: StartedBatch, place: string) {
  const { changesIn } = yield* Git
  const found = yield* Effect.catch(
    changesIn(run.manifest.worktree, run.ref, place),
    ({ message }) => Effect.succeed([message])
  )
  if (found?.length === 0) return identity
  const names = found === null ? "it is gone" : found.slice(0, mostPaths).join(", ")
  const why = `the copy of the code that reviewers read was changed while they ran: ${names}`
  return { _tag: "Unknown", why, head: null, tree: null } satisfies Identity
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
    ? yield* (yield* Git).identity(next.worktree, next.target, batch.base, { id: run.ref.runId })
    : yield* isolatedIdentity(run, batch, batch.isolated)
  return { _tag: "BatchCompleted", ...place, identity } satisfies Event
})

const isOpen = ({ manifest: { batch } }: Run, { attempt }: SeenReviewer): boolean =>
  batch._tag === "Started" && slotsOf(batch, "Running").some(({ id }) => id === attempt.id)

const lineOf = Effect.fnUntraced(
  function*(run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits, acting: boolean) {
    const events = yield* Effect.forEach(
      seen,
      (one) => reviewEvent(one, limits, acting, run.manifest.strict !== undefined)
    )
    const reviews = events.filter((event) => event !== null)
    const settled = yield* settlement(run, reviews, limits.retries)
    return settled === null ? reviews : [...reviews, settled]
  }
)

/**
 * The present identity of the target when a line completed the batch; null if the reviewers read a private repository.
 */
const completedBy = ({ manifest: { batch } }: Run, line: ReadonlyArray<Event>): Identity | null =>
  batch._tag === "Started" && batch.isolated !== undefined
    ? null
    : line.find((event) => event._tag === "BatchCompleted")?.identity ?? null

const inLines = Effect.fnUntraced(
  function*(run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits, acting: boolean) {
    const over = seen.filter((one) => isOver(one, limits))
    const parts: ReadonlyArray<ReadonlyArray<SeenReviewer>> = over.length === 0 ? [[]] : Array.chunksOf(over, perLine)
    const nothing: RecordedRun = { run, completed: null }
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
        return { run: after, completed: completedBy(after, line) } satisfies RecordedRun
      })
    )
  }
)

/** Records what was seen, and ends reviewers past a limit. LogConflict if another process recorded first. */
export const record = Effect.fn("Record.record")((run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits) =>
  inLines(run, seen, limits, true)
)

/** The run with what was seen, as it would be recorded. Nothing is committed, ended or written. */
export const foresee = Effect.fn("Record.foresee")((run: Run, seen: ReadonlyArray<SeenReviewer>, limits: Limits) =>
  inLines(run, seen, limits, false)
)
