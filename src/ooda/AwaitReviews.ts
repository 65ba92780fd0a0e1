// AwaitReviews: sleeps while reviewers run, and wakes when the batch can be decided.
// No lock is held meanwhile, and what ends is recorded at once.
import { Clock, Effect } from "effect"
import { assess } from "../core/run/Batch.ts"
import { refresh, type Run } from "../runs/Run.ts"
import { Progress } from "../services/Progress.ts"
import { observe, type SeenReviewer } from "./Observe.ts"
import { type Recorded, record } from "./Record.ts"
import { gatherRows } from "./ReviewerRows.ts"
import { startDue, type Starting } from "./StartReviews.ts"

// Milliseconds between two looks. Watching files alone would not show that a reviewer died. A look comes half of this
// too late on average.
const lookEvery = 50
// Milliseconds between two views for a person. Each view reads transcripts, and people see no more than seconds pass.
const showEvery = 1000
// The shortest sleep in milliseconds. It also holds with a poll interval of 0, so that reviewers get the processor.
const leastSleep = 10

/** How the loop starts reviewers, and how long it waits at a time, in milliseconds. */
export interface LoopOptions extends Starting {
  readonly pollInterval: number
}

/** The run as the wait last saw it, and whether the invocation's own time is over. */
export interface Waited extends Recorded {
  readonly timeOver: boolean
}

/** Shows the reviewers to a person, where one watches, at most once in `showEvery`. Returns when to show them again. */
const shown = Effect.fnUntraced(function*(run: Run, seen: ReadonlyArray<SeenReviewer>, now: number, showAt: number) {
  const progress = yield* Progress
  if (!progress.on || now < showAt) return showAt
  yield* progress.show(yield* gatherRows(run, seen))
  return now + showEvery
})

/**
 * Waits until the batch is no longer running, at most the poll interval and not past `until` (both in
 * milliseconds). Starts queued slots and due retries on the way.
 */
export const awaitReviews = Effect.fn("AwaitReviews.awaitReviews")(
  function*(run: Run, options: LoopOptions, until: number) {
    const begun = yield* Clock.currentTimeMillis
    const end = begun + options.pollInterval
    let wait = { run, showAt: begun }
    while (true) {
      const read = yield* refresh(wait.run)
      const seen = yield* observe(read)
      const recorded = yield* record(read, seen, options.settings)
      if (assess(recorded.run.manifest.batch, options.settings.retries)._tag !== "Running") {
        return { ...recorded, timeOver: false } satisfies Waited
      }
      const started = yield* startDue(recorded.run, options)
      const now = yield* Clock.currentTimeMillis
      wait = { run: started, showAt: yield* shown(recorded.run, seen, now, wait.showAt) }
      const waited = { run: started, completed: null }
      if (now >= until) return { ...waited, timeOver: true } satisfies Waited
      yield* Effect.sleep(Math.max(leastSleep, Math.min(lookEvery, end - now, until - now)))
      if (now >= end) return { ...waited, timeOver: false } satisfies Waited
    }
  }
)
