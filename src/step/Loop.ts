// Loop: loop mode: observe, record, decide, act, until a decision halts with an Outcome.
// No policy lives here: `run/Decide.ts` decides. The loop itself ends only what makes no progress.
import { Clock, Effect } from "effect"
import { Git } from "../code/Git.ts"
import type { EventLog, LogReadError } from "../log/EventLog.ts"
import type { BatchRef } from "../run/Refs.ts"
import { trace } from "../platform/Note.ts"
import { endReviews } from "../review/End.ts"
import { observe, type SeenReviewer } from "../review/Observe.ts"
import { gatherRows, Progress, workRowOf } from "../review/Progress.ts"
import { record, type RecordedRun } from "../review/Record.ts"
import { Reviewers } from "../review/Reviewers.ts"
import { type Start, startDue, type StartOptions, startReviews, untilDue } from "../review/Start.ts"
import { recordWaivers } from "../review/Waivers.ts"
import { warmUp } from "../review/verdict/Judge.ts"
import { someNames } from "../text/Untrusted.ts"
import { assess, type Batch } from "../run/Batch.ts"
import type { IsWaived } from "../run/Cover.ts"
import { type Decision, lostMessage, movedKey } from "../run/Decide.ts"
import type { Outcome } from "../run/Outcome.ts"
import { currentBatch, openAttempts, refresh, type Run, runFields, transact } from "../run/Run.ts"
import type { Settings } from "../run/Settings.ts"
import { defaultIterations } from "../run/StepSettings.ts"
import { prepareHalt } from "./Halt.ts"
import { decideNext, type NextDecision } from "./Next.ts"

/** The progress of an invocation: its iterations toward the cap, and the key of the reviews that it ran last. */
interface Turns {
  readonly iterations: number
  readonly lastRun: string | null
}

/** The progress of a new invocation. */
export const noTurns: Turns = { iterations: 0, lastRun: null }

/**
 * What to do about code that keeps changing, and which files do; nothing if the reviews are repeated for another
 * reason.
 */
const adviceOn = (key: string, batch: Batch, changed: ReadonlyArray<string>): { readonly advice?: string } => {
  if (!key.endsWith(`/${movedKey}`) || batch._tag === "NotStarted") return {}
  const { completed, isolated } = batch
  if (isolated !== undefined && completed?._tag === "Unknown") return { advice: completed.why }
  const files = changed.length === 0 ? "" : ` (${someNames(changed)})`
  const still = `the code changed under review again and again${files}: leave it unchanged while reviews run`
  return {
    advice: isolated !== undefined ? still : `${still}, or call with --isolate, where a change counts only if it lasts`
  }
}

const repeats = (decision: Decision, { lastRun }: Turns): boolean =>
  decision._tag === "RunReviews" && decision.key === lastRun

/** The decision, or a halt if the loop would now run the same reviews again. `changed`: the files that changed. */
export const unlessRepeated = (
  decision: Decision,
  turns: Turns,
  batch: Batch,
  changed: ReadonlyArray<string> = []
): Decision => {
  if (decision._tag !== "RunReviews" || !repeats(decision, turns)) return decision
  const { _tag: action, key } = decision
  return { _tag: "Halt", outcome: { _tag: "StuckRepeated", action, key, ...adviceOn(key, batch, changed) } }
}

/** The iterations after a decision. Waiting counts only toward an explicit cap. */
export const advanced = (
  { iterations, lastRun }: Turns,
  decision: Decision,
  maxIter: Settings["maxIter"]
): Turns => {
  switch (decision._tag) {
    case "Halt":
      return { iterations, lastRun }
    case "RunReviews":
      return { iterations: iterations + 1, lastRun: decision.key }
    case "AwaitReviews":
      return { iterations: maxIter === null ? iterations : iterations + 1, lastRun }
  }
}

/** The outcome of a loop that has reached its cap by acting on a decision, or null. */
export const capReached = (
  { iterations }: Turns,
  decision: Decision,
  maxIter: Settings["maxIter"]
): Outcome | null =>
  decision._tag === "Halt" || iterations < (maxIter ?? defaultIterations)
    ? null
    : { _tag: "StuckCapReached", action: decision._tag, key: decision.key }

// Waiting for reviewers. No lock is held meanwhile, and every end is recorded at once.

// Milliseconds between two looks while no reviewer ends: only a look shows that one died or is silent. A person sees
// the state of the last look, so looks are more frequent with a person watching.
const lookEvery = 2000
const showEvery = 1000
// The shortest sleep in milliseconds. It also holds with a poll interval of 0, so that reviewers get the processor.
const leastSleep = 10

/** How the loop starts reviewers, how long it waits at a time, in milliseconds, and whether it is asked to end. */
export interface LoopOptions extends StartOptions {
  readonly pollInterval: number
  readonly isStopped: Effect.Effect<boolean, LogReadError, EventLog>
}

/** The run as the wait last saw it, and whether the invocation's own time is over. */
interface WaitResult extends RecordedRun {
  readonly timeOver: boolean
}

/** Shows the reviewers to a watching person. Returns the latest time of the next look, in milliseconds. */
const shown = Effect.fnUntraced(function*(run: Run, seen: ReadonlyArray<SeenReviewer>) {
  const progress = yield* Progress
  if (!progress.on) return lookEvery
  yield* progress.show((yield* gatherRows(run, seen)).map(workRowOf))
  return showEvery
})

const isOf = ({ batch, level }: BatchRef, run: Run): boolean => {
  const current = currentBatch(run)
  return current.batch === batch && current.level === level
}

/** Waits for the batch at most the poll interval and until `until` (ms); starts queued slots and due retries. */
export const awaitReviews = Effect.fn("Loop.awaitReviews")(
  function*(run: Run, options: LoopOptions, until: number) {
    const end = (yield* Clock.currentTimeMillis) + options.pollInterval
    const batch = currentBatch(run)
    // Listening begins before the first look: an earlier end is seen by that look, a later one is heard.
    const nextEnd = yield* (yield* Reviewers).listen(batch)
    let waiting = run
    let rehearsed = false
    while (true) {
      const read = yield* refresh(waiting)
      const seen = yield* observe(read)
      const recorded = yield* record(read, seen, options.settings)
      const isOver = assess(recorded.run.manifest.batch, options.settings.retries)._tag !== "Running"
      // Another process may have started the next batch, whose reviewers this wait does not listen to.
      if (isOver || !isOf(batch, recorded.run)) return { ...recorded, timeOver: false } satisfies WaitResult
      waiting = yield* startDue(recorded.run, options)
      const rest = yield* shown(recorded.run, seen)
      const now = yield* Clock.currentTimeMillis
      const waited = { run: waiting, completed: null }
      if (now >= until) return { ...waited, timeOver: true } satisfies WaitResult
      if (!rehearsed) warmUp()
      rehearsed = true
      const due = untilDue(waiting, options.settings, now)
      yield* nextEnd(openAttempts(waiting), Math.max(leastSleep, Math.min(rest, due, end - now, until - now)))
      yield* trace("woke up", { ms: (yield* Clock.currentTimeMillis) - now })
      if (now >= end) return { ...waited, timeOver: false } satisfies WaitResult
    }
  },
  Effect.scoped
)

// Acting on a decision

/** The run after an action, and the outcome if the invocation ends with that action. */
interface ActResult extends RecordedRun {
  readonly outcome: Outcome | null
}

const acted = (run: Run, outcome: Outcome | null = null): ActResult => ({ run, completed: null, outcome })

/** The outcome that names the missing private repository of a batch that was just replaced. */
const toldOfLoss = ({ manifest }: Run, place: string, { manifest: next }: Run): Outcome | null =>
  next.current_level === manifest.current_level && next.batch_number === manifest.batch_number
    ? null
    : { _tag: "BinaryError", message: lostMessage(manifest, place, next) }

type RunReviews = Extract<Decision, { readonly _tag: "RunReviews" }>

const startOf = (decision: RunReviews, waived: IsWaived): Start =>
  decision.cause === "stale" ? { cause: decision.cause, level: decision.level, waived } : { cause: decision.cause }

/**
 * The run after its reviewers were ended because of a stop; null without one. A stop before the reviewers are recorded
 * cannot end them; a later one can.
 */
const endedForStop = Effect.fnUntraced(function*(run: Run, { isStopped }: LoopOptions) {
  return (yield* isStopped) ? acted((yield* endReviews(run, "Stop")).run) : null
})

/** Performs a decision. A wait ends at `until`, in milliseconds. LogConflict when another process committed first. */
export const act = Effect.fn("Loop.act")(function*(run: Run, next: NextDecision, until: number, options: LoopOptions) {
  const { decision, lost, present, waivers: { bar, waived } } = next
  switch (decision._tag) {
    case "Halt":
      return acted(yield* prepareHalt(run, decision.outcome, options.settings.ceiling, bar), decision.outcome)
    case "RunReviews": {
      const after = yield* startReviews(run, startOf(decision, waived), options, present)
      return (yield* endedForStop(after, options)) ?? acted(after, lost === null ? null : toldOfLoss(run, lost, after))
    }
    case "AwaitReviews": {
      const ended = yield* endedForStop(run, options)
      if (ended !== null) return ended
      const { timeOver, ...recorded } = yield* awaitReviews(run, options, until)
      return { ...recorded, outcome: timeOver ? { _tag: "Idle" } : null } satisfies ActResult
    }
  }
})

/** The loop between two turns. */
interface State extends RecordedRun {
  readonly turns: Turns
}

/** Constant through all turns: the last line of the log when the loop began, and when its time begins and is over. */
interface Bounds {
  readonly openedAt: number
  /** When the loop began, in epoch milliseconds. */
  readonly startedAt: number
  readonly until: number
}

const turn = Effect.fnUntraced(function*(state: State, { openedAt, startedAt, until }: Bounds, options: LoopOptions) {
  const { settings } = options
  const seen = yield* observe(state.run)
  const { completed, run } = yield* record(state.run, seen, settings)
  const next = yield* decideNext({ run, completed: completed ?? state.completed }, openedAt, settings)
  const changed = repeats(next.decision, state.turns)
    ? yield* (yield* Git).changedAfter(run.manifest.worktree, startedAt)
    : []
  const decision = unlessRepeated(next.decision, state.turns, run.manifest.batch, changed)
  const acted = yield* act(yield* recordWaivers(run, next), { ...next, decision }, until, options)
  const turns = advanced(state.turns, decision, settings.maxIter)
  return { ...acted, turns, outcome: acted.outcome ?? capReached(turns, decision, settings.maxIter) }
}, (self, { run }) => Effect.annotateLogs(self, runFields(run)))

/** Runs the loop on an opened run until a turn gives an Outcome. A turn that loses a race is taken again. */
export const loop = Effect.fn("Loop.loop")(function*(opened: Run, options: LoopOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const bounds: Bounds = {
    openedAt: opened.head.seq,
    startedAt,
    until: options.settings.stepTimeout === null ? Number.POSITIVE_INFINITY : startedAt + options.settings.stepTimeout
  }
  let state: State = { run: opened, completed: null, turns: noTurns }
  while (true) {
    const before = state
    const { outcome, ...after } = yield* transact(before.run, (run) =>
      // The code may have changed before another process committed.
      turn(run === before.run ? before : { ...before, run, completed: null }, bounds, options))
    if (outcome !== null) return { outcome, run: after.run }
    state = after
  }
})
