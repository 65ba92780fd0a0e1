// Act: performs a decision of the loop: prepares a halt, starts reviews, or waits for them.
import { Effect } from "effect"
import { type Decision, lostMessage } from "../core/loop/Decide.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import type { Waived } from "../core/run/Cover.ts"
import type { Run } from "../runs/Run.ts"
import { awaitReviews, type LoopOptions } from "./AwaitReviews.ts"
import type { Next } from "./DecideNext.ts"
import { endReviews } from "./EndReviews.ts"
import { prepareHalt } from "./Halt.ts"
import type { Recorded } from "./Record.ts"
import { type Start, startReviews } from "./StartReviews.ts"

/** The run after an action, and the outcome if the invocation ends with that action. */
export interface Acted extends Recorded {
  readonly outcome: Outcome | null
}

const acted = (run: Run, outcome: Outcome | null = null): Acted => ({ run, completed: null, outcome })

/** The outcome that names the private repository of a batch that was just replaced, because it is gone. */
const toldOfLoss = ({ manifest }: Run, place: string, { manifest: next }: Run): Outcome | null =>
  next.current_level === manifest.current_level && next.batch_number === manifest.batch_number
    ? null
    : { _tag: "BinaryError", message: lostMessage(manifest, place, next) }

type RunReviews = Extract<Decision, { readonly _tag: "RunReviews" }>

const startOf = (decision: RunReviews, waived: Waived): Start =>
  decision.cause === "stale" ? { cause: decision.cause, level: decision.level, waived } : { cause: decision.cause }

/**
 * The run after the reviewers of whoever was asked to end were ended, or null where nobody was asked. Somebody who asks
 * before they are on record cannot end them. Whoever asks later can.
 */
const endedForStop = Effect.fnUntraced(function*(run: Run, { isStopped }: LoopOptions) {
  return (yield* isStopped) ? acted((yield* endReviews(run, "Stop")).run) : null
})

/** Performs a decision. A wait ends at `until`, in milliseconds. LogConflict when another process committed first. */
export const act = Effect.fn("Act.act")(function*(run: Run, next: Next, until: number, options: LoopOptions) {
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
      return { ...recorded, outcome: timeOver ? { _tag: "Idle" } : null } satisfies Acted
    }
  }
})
