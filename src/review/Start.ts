// Start: starts reviewers of a new batch, of failed or stopped slots, or of slots held back by `--jobs`.
// Every check that could refuse the start comes first, then the commit of the intent, then the processes.
import { Clock, Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { Git, TargetProblem, targetProblemText } from "../code/Git.ts"
import { type Present, presentBase, presentWith } from "../code/PresentIdentity.ts"
import { lostRepository, tidy } from "../code/PrivateRepository.ts"
import { LogConflict } from "../log/EventLog.ts"
import { awaitingRetry, type Slot, type SlotOf, slotsOf } from "../run/Batch.ts"
import { staleLevel, type IsWaived } from "../run/Cover.ts"
import type { RunCause } from "../run/Decide.ts"
import type { Event, EventOf } from "../run/Event.ts"
import type { Level } from "../run/Level.ts"
import { type Manifest, nextBatch } from "../run/Manifest.ts"
import { attemptOf, commitLine, preview, refresh, type Run } from "../run/Run.ts"
import { RunStore } from "../run/RunStore.ts"
import type { Settings } from "../run/Settings.ts"
import { type BranchName, copySettings, reviewArguments } from "../run/Target.ts"
import { endReviews } from "./End.ts"
import { maxTranscript } from "./Limits.ts"
import { Reviewers } from "./Reviewers.ts"

/** `--strict-target`: the target cannot be resolved, or there is nothing to review. */
export class TargetRefused extends Schema.TaggedError<TargetRefused>()("TargetRefused", { reason: TargetProblem }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return targetProblemText(this.reason)
  }
}

// The input of a new batch: a frozen copy, or the worktree if neither the run is strict nor the caller asks for a copy.
// Only one step at a time makes a copy.

/** Whether the reviewers of a run read a copy: always in a strict run, so that they cannot have read anything else. */
const isIsolated = ({ manifest }: Run, { isolate }: Settings): boolean => isolate || manifest.strict !== undefined

/** What reviewers of the current batch will see, and in which copy, laid out here if it is isolated. */
export const inputOf = Effect.fn("Start.inputOf")(
  function*(run: Run, base: BranchName | null, settings: Settings, known: Present | null) {
    const { target, trust_commit: trust = null, worktree } = run.manifest
    if (!isIsolated(run, settings)) return { identity: (yield* presentWith(run.manifest, base, known)).identity }
    const { link } = settings
    const { identity, place } = yield* (yield* Git).isolate(worktree, run.ref, { target, base, link, trust })
    return { identity, isolated: place }
  }
)

const unmoved = Effect.fnUntraced(function*(run: Run) {
  const { head } = yield* refresh(run)
  if (head.seq === run.head.seq) return
  const { directory } = (yield* RunStore).runPlaces(run.ref)
  return yield* new LogConflict({ path: directory, expected: run.head.seq, actual: head.seq })
})

/** Starts an isolated batch under a lock. LogConflict if another process has committed meanwhile. */
export const startAlone = <A, E, R>(run: Run, settings: Settings, use: Effect.Effect<A, E, R>) =>
  isIsolated(run, settings)
    ? RunStore.use(({ isolating }) => isolating(run.ref, Effect.andThen(unmoved(run), use)))
    : use

/** Why reviews are started; in a strict run also because a level is not covered, and then for that level. */
export type Start =
  | { readonly cause: RunCause }
  | { readonly cause: "stale"; readonly level: Level; readonly waived: IsWaived }

/** How reviewers are started. A program with a slash in its name is relative to `cwd`. */
export interface StartOptions {
  readonly settings: Settings
  readonly cwd: string
}

// The intents of this many reviewers always fit a line of the log; further ones follow in the next line.
const perLine = 128

/** The wait before attempt `tries + 1` in milliseconds: 2 s, doubled each time, plus up to half by the attempt's id. */
export const backoff = (tries: number, id: string): number => {
  const spread = [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 1000, 7) / 1000
  return Math.round(2000 * 2 ** (Math.min(tries, 7) - 1) * (1 + spread / 2))
}

/** The events that start the current batch: its size, arguments, base and the identity of what it reviews. */
const batchStarted = Effect.fnUntraced(function*(run: Run, settings: Settings, known: Present | null) {
  const git = yield* Git
  const { manifest } = run
  const { strict, target, worktree } = manifest
  // A strict decision has just asked for the base.
  const base = strict !== undefined && known !== null ? known.base : yield* presentBase(manifest)
  const isChecked = settings.strictTarget || strict !== undefined
  const problem = isChecked ? yield* git.targetProblem(worktree, target, base) : null
  if (problem !== null) return yield* new TargetRefused({ reason: problem })
  // An ambiguous base always fails: codex would prefer a tag to the branch.
  if (!isChecked && base !== null) yield* git.baseProblem(worktree, base)
  const input = yield* inputOf(run, base, settings, known)
  return {
    _tag: "BatchStarted",
    level: manifest.current_level,
    batch: manifest.batch_number,
    size: settings.batchSize,
    base,
    argv: [...reviewArguments(target, base, manifest.current_level), ...(strict === undefined ? [] : copySettings)],
    ...input,
    ...(strict === undefined ? {} : { waiversKept: true, variables: "core" as const })
  } satisfies EventOf<"BatchStarted">
})

/** How long a failed slot waits for its next attempt. A reviewer that never began is started again at once. */
const pause = (slot: SlotOf<"Failed">): number =>
  slot.kind === "Unstarted" ? 0 : backoff(slot.tries, `${slot.slot}:${slot.since}`)

/** How long a failed slot still has to wait, in milliseconds; 0 if the clock was set back. */
const rest = (slot: SlotOf<"Failed">, now: number): number => {
  const waited = now - Date.parse(slot.since)
  return waited < 0 ? 0 : Math.max(0, pause(slot) - waited)
}

/** The milliseconds until the next retry is due; infinite if none waits. */
export const untilDue = ({ manifest: { batch } }: Run, { retries }: Settings, now: number): number =>
  batch._tag === "NotStarted"
    ? Number.POSITIVE_INFINITY
    : Math.min(...awaitingRetry(batch, retries).map((slot) => rest(slot, now)).filter((left) => left > 0))

/** The slots that may start now: queued ones, and transient failures whose wait is over, within the limit. */
const due = (run: Run, { jobs, retries }: Settings, now: number): ReadonlyArray<Slot> => {
  const { batch } = run.manifest
  if (batch._tag === "NotStarted") return []
  const again = batch.failedAt > 0
    ? slotsOf(batch, "Failed")
    : awaitingRetry(batch, retries).filter((slot) => rest(slot, now) === 0)
  const free = jobs === null ? perLine : Math.min(perLine, jobs - slotsOf(batch, "Running").length)
  return [...slotsOf(batch, "Queued"), ...again].slice(0, Math.max(0, free))
}

/** Commits `lead` with the intents of all slots that are due after it, then spawns them. */
const start = Effect.fnUntraced(function*(run: Run, lead: ReadonlyArray<Event>, { cwd, settings }: StartOptions) {
  const codex = yield* Reviewers
  const store = yield* RunStore
  const now = yield* Clock.currentTimeMillis
  const ahead: Run = { ...run, manifest: preview(run, lead) }
  const slots = due(ahead, settings, now)
  if (slots.length === 0 && lead.length === 0) return run
  // Reviewers that still run read deleted files, so a new batch replaces this one.
  if (lead.length === 0 && (yield* lostRepository(run)) !== null) return (yield* endReviews(run, "TargetChanged")).run
  const binary = yield* codex.locate(settings.codexBin, cwd)
  const program = slots.length === 0 ? null : yield* codex.digest(binary)
  const attempts = yield* Effect.forEach(
    slots,
    (slot) => Effect.map(store.newAttemptId, (id) => attemptOf(ahead, slot, slot.attempts + 1, id))
  )
  const { batch_number: batch, current_level: level, worktree } = ahead.manifest
  const intents = attempts.map((attempt): Event => ({
    _tag: "ReviewStarted",
    level,
    batch,
    slot: attempt.slot,
    attempt: attempt.attempt,
    id: attempt.id,
    ...(program === null ? {} : { program })
  }))
  // No signal may come between the commit and the spawn: a started attempt is a spawned one.
  return yield* Effect.uninterruptible(Effect.gen(function*() {
    const { line, run: committed } = yield* commitLine(run, [...lead, ...intents])
    const { batch: started } = committed.manifest
    const isolated = started._tag === "Started" ? started.isolated : undefined
    yield* codex.launch(attempts, {
      binary,
      argv: started._tag === "Started" ? started.argv : [],
      cwd: isolated ?? worktree,
      isolated: isolated !== undefined,
      line,
      reviewTimeout: settings.reviewTimeout,
      maxTranscript
    })
    return committed
  }))
})

/** Starts the queued slots and the retries that are due in a batch that is already running. Often there are none. */
export const startDue = Effect.fn("Start.startDue")((run: Run, options: StartOptions) => start(run, [], options))

/** The event that opens the batch to start, or none if it is the current one. */
const opening = (manifest: Manifest, start: Start): ReadonlyArray<Event> => {
  const from = manifest.current_level
  const opened = (level: Level, cause: "TargetChanged" | "Stale"): ReadonlyArray<Event> => [
    { _tag: "BatchOpened", level, batch: nextBatch(manifest, level), from, cause }
  ]
  if (start.cause === "stale") return opened(start.level, "Stale")
  return start.cause === "target-changed" ? opened(from, "TargetChanged") : []
}

/** Whether a level is still the lowest uncovered one, given what its reviewers would see now. */
const stillLowest = (
  { start_level: floor, strict }: Manifest,
  { level, waived }: Extract<Start, { readonly cause: "stale" }>,
  started: EventOf<"BatchStarted">
) => strict !== undefined && staleLevel(strict, { floor, ceiling: level }, started.identity, waived) === level

/** Starts the reviews that were decided on; everything that could refuse them is checked before the commit. */
export const startReviews = Effect.fn("Start.startReviews")(
  function*(run: Run, why: Start, options: StartOptions, known: Present | null = null) {
    if (why.cause === "failed-slots" || why.cause === "stopped-slots") return yield* start(run, [], options)
    const opened = opening(run.manifest, why)
    const begin = Effect.gen(function*() {
      const started = yield* batchStarted({ ...run, manifest: preview(run, opened) }, options.settings, known)
      // The code has changed since that decision: the next turn decides again.
      if (why.cause === "stale" && !stillLowest(run.manifest, why, started)) return run
      return yield* start(run, [...opened, started], options)
    })
    const after = yield* startAlone(run, options.settings, begin)
    yield* tidy(after)
    return after
  }
)
