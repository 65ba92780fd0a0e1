// AwaitReviews: sleeps while reviewers run, and wakes when one of them ends.
// No lock is held meanwhile, and what ends is recorded at once.
import { Clock, Effect } from "effect"
import { assess } from "../core/run/Batch.ts"
import type { BatchRef } from "../core/run/Refs.ts"
import { rehearse } from "../core/verdict/Judge.ts"
import { currentBatch, openAttempts, refresh, type Run } from "../runs/Run.ts"
import { Progress } from "../services/Progress.ts"
import { Reviewers } from "../services/Reviewers.ts"
import { observe, type SeenReviewer } from "./Observe.ts"
import { type Recorded, record } from "./Record.ts"
import { gatherRows } from "./ReviewerRows.ts"
import { startDue, type Starting, untilDue } from "./StartReviews.ts"
import type { EventLog, LogReadError } from "../services/EventLog.ts"
import { trace } from "../services/Note.ts"

// Milliseconds between two looks while no reviewer ends: only a look shows that one died or is silent. What a person
// sees is as old as the last look, so looks come more often for one.
const lookEvery = 2000
const showEvery = 1000
// The shortest sleep in milliseconds. It also holds with a poll interval of 0, so that reviewers get the processor.
const leastSleep = 10

/** How the loop starts reviewers, how long it waits at a time, in milliseconds, and whether it is asked to end. */
export interface LoopOptions extends Starting {
  readonly pollInterval: number
  readonly isStopped: Effect.Effect<boolean, LogReadError, EventLog>
}

/** The run as the wait last saw it, and whether the invocation's own time is over. */
export interface Waited extends Recorded {
  readonly timeOver: boolean
}

/** Shows the reviewers to a person, where one watches. Returns when to look again at the latest, in milliseconds. */
const shown = Effect.fnUntraced(function*(run: Run, seen: ReadonlyArray<SeenReviewer>) {
  const progress = yield* Progress
  if (!progress.on) return lookEvery
  yield* progress.show(yield* gatherRows(run, seen))
  return showEvery
})

const isOf = ({ batch, level }: BatchRef, run: Run): boolean => {
  const current = currentBatch(run)
  return current.batch === batch && current.level === level
}

/**
 * Waits until the batch is no longer running, at most the poll interval and not past `until` (both in
 * milliseconds). Starts queued slots and due retries on the way.
 */
export const awaitReviews = Effect.fn("AwaitReviews.awaitReviews")(
  function*(run: Run, options: LoopOptions, until: number) {
    const end = (yield* Clock.currentTimeMillis) + options.pollInterval
    const batch = currentBatch(run)
    // Listening begins before the first look: what ends before is seen by that look, what ends after it is heard.
    const nextEnd = yield* (yield* Reviewers).listen(batch)
    let waiting = run
    let rehearsed = false
    while (true) {
      const read = yield* refresh(waiting)
      const seen = yield* observe(read)
      const recorded = yield* record(read, seen, options.settings)
      const isOver = assess(recorded.run.manifest.batch, options.settings.retries)._tag !== "Running"
      // Another process may have started the next batch. This wait hears nothing of the ends of its reviewers.
      if (isOver || !isOf(batch, recorded.run)) return { ...recorded, timeOver: false } satisfies Waited
      waiting = yield* startDue(recorded.run, options)
      const rest = yield* shown(recorded.run, seen)
      const now = yield* Clock.currentTimeMillis
      const waited = { run: waiting, completed: null }
      if (now >= until) return { ...waited, timeOver: true } satisfies Waited
      if (!rehearsed) rehearse()
      rehearsed = true
      const due = untilDue(waiting, options.settings, now)
      yield* nextEnd(openAttempts(waiting), Math.max(leastSleep, Math.min(rest, due, end - now, until - now)))
      yield* trace("woke up", { ms: (yield* Clock.currentTimeMillis) - now })
      if (now >= end) return { ...waited, timeOver: false } satisfies Waited
    }
  },
  Effect.scoped
)
