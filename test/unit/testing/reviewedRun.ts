// reviewedRun: a run that the program has reviewed on a machine in memory, and lines that it would never write.
import { Effect } from "effect"
import { assert } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import type { Call } from "../../../src/testing/model/Model.ts"
import { observe } from "../../../src/testing/model/Invariants.ts"
import { loop } from "../../../src/testing/model/Play.ts"
import { call } from "./model/someRuns.ts"

/** Calls the program once; gives the run it has worked on. */
export const reviewedRun = (one: Partial<Call> = {}) =>
  loop(call(one)).pipe(
    Effect.andThen(observe),
    Effect.map(({ run }): RunRef => run ?? assert.fail("no run"))
  )

/** Writes a line behind all others, whatever it says. */
export const forge = Effect.fnUntraced(function*(run: RunRef, ...events: ReadonlyArray<Event>) {
  const log = yield* EventLog
  const { head } = yield* log.read(reviewRun, run)
  return yield* log.append(reviewRun, run, head, events)
})
