// Living: which reviewers live, and which of them a call has ended that was not to.
import { Effect } from "effect"
import { attemptText } from "../../core/run/Refs.ts"
import { RunStore } from "../../services/RunStore.ts"
import { lives, type Reviewer } from "../World.ts"
import { observe } from "./Observe.ts"

/** The reviewers that live now. */
export const alive = Effect.map(observe, ({ now, reviewers }) => reviewers.filter((one) => lives(one, now)))

/** The reviewers that were ended meanwhile although the run that they are of has not been replaced. */
export const endedOf = Effect.fnUntraced(function*(ahead: ReadonlyArray<Reviewer>, left: ReadonlyArray<Reviewer>) {
  const on = new Set(left.map(({ attempt }) => attemptText(attempt)))
  const gone = ahead.filter(({ attempt }) => !on.has(attemptText(attempt)))
  const [first] = gone
  if (first === undefined) return []
  // Where the store takes its time, the call may end the reviewers of a run that it replaces before it is ended.
  const [newest] = yield* (yield* RunStore).runs(first.attempt.run)
  return gone.filter(({ attempt }) => attempt.run.runId === newest?.runId)
})
