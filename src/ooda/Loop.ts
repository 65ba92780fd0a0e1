// Loop: loop mode: observe, record, decide, act, until a decision halts with an Outcome.
// No policy lives here: `core/loop/Decide.ts` decides, and `core/loop/Stuck.ts` ends a loop that makes no progress.
import { Clock, Effect } from "effect"
import { advanced, capReached, noTurns, type Turns, unlessRepeated } from "../core/loop/Stuck.ts"
import { type Run, runFields, transact } from "../runs/Run.ts"
import type { LoopOptions } from "./AwaitReviews.ts"
import { act } from "./Act.ts"
import { decideNext } from "./DecideNext.ts"
import { recordWaivers } from "./RecordWaivers.ts"
import { observe } from "./Observe.ts"
import { type Recorded, record } from "./Record.ts"

/** The loop between two turns. */
interface State extends Recorded {
  readonly turns: Turns
}

/** The same in every turn: the last line of the log when the loop began, and when the loop's time is over. */
interface Bounds {
  readonly openedAt: number
  readonly until: number
}

const turn = Effect.fnUntraced(function*(state: State, { openedAt, until }: Bounds, options: LoopOptions) {
  const { settings } = options
  const seen = yield* observe(state.run)
  const { completed, run } = yield* record(state.run, seen, settings)
  const next = yield* decideNext({ run, completed: completed ?? state.completed }, openedAt, settings)
  const decision = unlessRepeated(next.decision, state.turns, settings.isolate)
  const acted = yield* act(yield* recordWaivers(run, next), { ...next, decision }, until, options)
  const turns = advanced(state.turns, decision, settings.maxIter)
  return { ...acted, turns, outcome: acted.outcome ?? capReached(turns, decision, settings.maxIter) }
}, (self, { run }) => Effect.annotateLogs(self, runFields(run)))

/** Runs the loop on an opened run until a turn yields an Outcome. A turn that loses a race is taken again. */
export const loop = Effect.fn("Loop.loop")(function*(opened: Run, options: LoopOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const bounds: Bounds = {
    openedAt: opened.head.seq,
    until: options.settings.stepTimeout === null ? Number.POSITIVE_INFINITY : startedAt + options.settings.stepTimeout
  }
  let state: State = { run: opened, completed: null, turns: noTurns }
  while (true) {
    const before = state
    const { outcome, ...after } = yield* transact(before.run, (run) =>
      // The code may have changed by the time that another process has committed.
      turn(run === before.run ? before : { ...before, run, completed: null }, bounds, options))
    if (outcome !== null) return { outcome, run: after.run }
    state = after
  }
})
