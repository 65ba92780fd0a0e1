// StartReviews: starts reviewers: a whole new batch, the slots that failed or were stopped, or what a limit held back.
// The intent is committed before anything is spawned, and everything that can be refused is refused before that.
import { Clock, Effect, Schema } from "effect"
import { awaitingRetry, type Slot, type SlotOf, slotsOf } from "../core/run/Batch.ts"
import type { RunCause } from "../core/loop/Decide.ts"
import { maxTranscript } from "../core/loop/Limits.ts"
import type { Settings } from "../core/loop/Settings.ts"
import type { Event } from "../core/run/Event.ts"
import { nextBatch } from "../core/run/Manifest.ts"
import { reviewArguments } from "../core/run/Target.ts"
import { Reviewers } from "../services/Reviewers.ts"
import { Git, TargetProblem, targetProblemText } from "../services/Git.ts"
import { GitHub } from "../services/GitHub.ts"
import { RunStore } from "../services/RunStore.ts"
import { attemptOf, commit, preview, type Run } from "../runs/Run.ts"

/** `--strict-target`: the target cannot be resolved, or there is nothing to review. */
export class TargetRefused extends Schema.TaggedError<TargetRefused>()("TargetRefused", { reason: TargetProblem }) {
  override get message() {
    return targetProblemText(this.reason)
  }
}

/** How reviewers are started: by the settings; a program with a slash in its name is relative to `cwd`. */
export interface Starting {
  readonly settings: Settings
  readonly cwd: string
}

// The intents of this many reviewers always fit a line of the log; further ones follow in the next line.
const perLine = 128

/** The wait before attempt `tries + 1` in milliseconds: 2 s doubling, spread by up to a half by the attempt's id. */
export const backoff = (tries: number, id: string): number => {
  const spread = [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 1000, 7) / 1000
  return Math.round(2000 * 2 ** (Math.min(tries, 7) - 1) * (1 + spread / 2))
}

/** What the arguments of every reviewer end with. */
const readOnly: ReadonlyArray<string> = ["-c", `sandbox_mode="read-only"`]

/** The events that start the current batch: its size, arguments, base and the identity of what it reviews. */
const batchStarted = Effect.fnUntraced(function*(run: Run, { batchSize, strictTarget }: Settings) {
  const { manifest } = run
  const git = yield* Git
  const { target, worktree } = manifest
  const base = target._tag === "PullRequest"
    ? yield* (yield* GitHub).baseOf(worktree, target.number)
    : target._tag === "Base" ? target.branch : null
  if (strictTarget) {
    const problem = yield* git.targetProblem(worktree, target, base)
    if (problem !== null) return yield* new TargetRefused({ reason: problem })
  }
  const identity = yield* git.identity(worktree, target, base)
  return {
    _tag: "BatchStarted",
    level: manifest.current_level,
    batch: manifest.batch_number,
    size: batchSize,
    base,
    argv: [...reviewArguments(target, base, manifest.current_level), ...readOnly],
    identity
  } satisfies Event
})

/** How long a failed slot waits for its next attempt: one that never began need not wait at all. */
const pause = (slot: SlotOf<"Failed">): number =>
  slot.kind === "Unstarted" ? 0 : backoff(slot.tries, `${slot.slot}:${slot.since}`)

/** Whether a failed slot has waited long enough. Where the clock was set back meanwhile, nobody knows: it has. */
const rested = (slot: SlotOf<"Failed">, now: number): boolean => {
  const waited = now - Date.parse(slot.since)
  return waited < 0 || waited >= pause(slot)
}

/** The slots that may start now: queued ones, and transient failures whose wait is over, within the limit. */
const due = (run: Run, { jobs, retries }: Settings, now: number): ReadonlyArray<Slot> => {
  const { batch } = run.manifest
  if (batch._tag === "NotStarted") return []
  const again = batch.failedAt > 0
    ? slotsOf(batch, "Failed")
    : awaitingRetry(batch, retries).filter((slot) => rested(slot, now))
  const free = jobs === null ? perLine : Math.min(perLine, jobs - slotsOf(batch, "Running").length)
  return [...slotsOf(batch, "Queued"), ...again].slice(0, Math.max(0, free))
}

/** Commits `lead` with the intents of all slots that are due after it, then spawns them. */
const start = Effect.fnUntraced(function*(run: Run, lead: ReadonlyArray<Event>, { cwd, settings }: Starting) {
  const codex = yield* Reviewers
  const store = yield* RunStore
  const now = yield* Clock.currentTimeMillis
  const ahead: Run = { ...run, manifest: preview(run, lead) }
  const slots = due(ahead, settings, now)
  if (slots.length === 0 && lead.length === 0) return run
  const binary = yield* codex.locate(settings.codexBin, cwd)
  const attempts = yield* Effect.forEach(slots, (slot) =>
    Effect.map(store.newAttemptId, (id) => attemptOf(ahead, slot, slot.attempts + 1, id)))
  const { batch_number: batch, current_level: level, worktree } = ahead.manifest
  const intents = attempts.map((attempt): Event => ({
    _tag: "ReviewStarted",
    level,
    batch,
    slot: attempt.slot,
    attempt: attempt.attempt,
    id: attempt.id
  }))
  // Between the commit and the spawn no signal may step in: a started attempt is a spawned one.
  return yield* Effect.uninterruptible(Effect.gen(function*() {
    const committed = yield* commit(run, [...lead, ...intents])
    const { batch: started } = committed.manifest
    yield* codex.launch(attempts, {
      binary,
      argv: started._tag === "Started" ? started.argv : [],
      cwd: worktree,
      reviewTimeout: settings.reviewTimeout,
      maxTranscript
    })
    return committed
  }))
})

/** Starts whatever is due in a batch that is already running: queued slots and retries. Often nothing. */
export const startDue = Effect.fn("StartReviews.startDue")((run: Run, options: Starting) => start(run, [], options))

/** Starts reviews for a cause that `decide` named. Everything that can be refused is refused before the commit. */
export const startReviews = Effect.fn("StartReviews.startReviews")(
  function*(run: Run, cause: RunCause, options: Starting) {
    if (cause === "failed-slots" || cause === "stopped-slots") return yield* start(run, [], options)
    const level = run.manifest.current_level
    const opened: ReadonlyArray<Event> = cause === "target-changed"
      ? [{ _tag: "BatchOpened", level, batch: nextBatch(run.manifest, level), from: level, cause: "TargetChanged" }]
      : []
    const ahead: Run = { ...run, manifest: preview(run, opened) }
    return yield* start(run, [...opened, yield* batchStarted(ahead, options.settings)], options)
  }
)
