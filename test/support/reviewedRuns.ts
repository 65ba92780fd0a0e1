// reviewedRuns: runs that the program has reviewed on a machine in memory, attempts of them, and lines it would not write.
import { Effect, Ref } from "effect"
import { assert } from "vitest"
import { EventLog } from "../../src/log/EventLog.ts"
import type { RunRef } from "../../src/log/Refs.ts"
import type { Launch } from "../../src/review/Reviewers.ts"
import type { Event } from "../../src/run/Event.ts"
import { make } from "../../src/run/Invocation.ts"
import type { AttemptRef } from "../../src/run/Refs.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import { reviewArguments } from "../../src/run/Target.ts"
import { step } from "../../src/step/Step.ts"
import { Scripted, World } from "../../src/testing.ts"
import { observe } from "../../src/testing/model/Invariants.ts"
import type { Call, Part, Says } from "../../src/testing/model/Model.ts"
import { loop } from "../../src/testing/model/Play.ts"
import { runRef } from "../unit/run/events.ts"

export const run = runRef()

/** An attempt to review a slot of a run's first batch. */
export const attempt = (slot = 1, number = 1): AttemptRef => ({
  run,
  level: "low",
  batch: 1,
  slot,
  attempt: number,
  id: `${slot}-${number}`
})

/** How the reviewers of such attempts are launched. */
export const launch: Launch = {
  binary: "codex",
  argv: reviewArguments({ _tag: "Uncommitted" }, null, "low"),
  cwd: "/repo",
  isolated: false,
  line: { seq: 2, hash: "ab" },
  reviewTimeout: 3_600_000,
  maxTranscript: 1_000_000
}

/** What reviewers of the model say, each at once. */
export const parts = (...says: ReadonlyArray<Says>): ReadonlyArray<Part> =>
  says.map((one) => ({ says: one, slow: false }))

/** A call of loop mode from low to low, of one reviewer that finds nothing. */
export const call = (fields: Partial<Call> = {}): Call => ({
  floor: "low",
  ceiling: "low",
  size: 1,
  fresh: false,
  bounded: false,
  parts: parts("clean"),
  ...fields
})

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

/** A run of one step in which the first of two reviewers found an issue. */
export const runWithIssues = Effect.gen(function*() {
  yield* Ref.set((yield* World).script, ({ slot }) => slot === 1 ? Scripted.issues() : Scripted.clean())
  yield* step(make({ target: { _tag: "Uncommitted" }, batchSize: 2 }), "/repo", {})
  const store = yield* RunStore
  const [run] = yield* store.list(yield* store.open(null, "/repo"), null)
  return run ?? assert.fail("no run")
})
