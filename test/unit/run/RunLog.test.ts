// RunLog: long work on one run reads each line of its log once, and reads again only if the log was replaced.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { EventLog, LogRewound } from "../../../src/log/EventLog.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { keepingLog, readRunLog } from "../../../src/run/RunLog.ts"
import { Memory } from "../../../src/testing.ts"
import { driven, settings } from "../drive/converge/driven.ts"
import { created } from "./events.ts"
import { onMachine, opened } from "./opened.ts"

/** A log that counts how often a whole log of a review run is read. */
const counting = () => {
  const reads = { whole: 0 }
  const eventLog = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({
        ...log,
        read: (kind, run) =>
          Effect.suspend(() => {
            if (kind.kind === reviewRun.kind) reads.whole++
            return log.read(kind, run)
          })
      }))
  ).pipe(Layer.provide(Memory.eventLog))
  return { reads, eventLog }
}

it("a call of converge reads the whole log of its run once, however many rounds it takes", async () => {
  const { eventLog, reads } = counting()
  const { header, stream } = await driven({}, settings(), { eventLog })
  assert.strictEqual(header, "DoneFixedPoint")
  assert.isAbove(stream.filter(({ _tag }) => _tag === "RoundStarted").length, 1)
  // One more read is done by this test.
  assert.strictEqual(reads.whole, 2)
})

it("lines of other processes are read", async () => {
  const aborted = [{ _tag: "StepAborted", signal: "SIGTERM" }] as const
  const lines = await onMachine(
    keepingLog(Effect.gen(function*() {
      const { head, ref } = yield* opened()
      const first = yield* readRunLog(ref)
      yield* (yield* EventLog).append(reviewRun, ref, head, aborted)
      return [first, yield* readRunLog(ref), yield* (yield* EventLog).read(reviewRun, ref)].map((one) => one.commits)
    }))
  )
  assert.strictEqual(lines[1]?.length, (lines[0]?.length ?? 0) + 1)
  assert.deepStrictEqual(lines[1], lines[2])
})

it("a log that no longer matches, and another run's log, are read from the beginning", async () => {
  const [again, other] = await onMachine(
    keepingLog(Effect.gen(function*() {
      const { ref } = yield* opened()
      const log = yield* EventLog
      const another = { ...ref, runId: "20260101T000000Z-000000002-p1" }
      yield* log.create(reviewRun, another, [created({ strict: true })])
      const first = yield* readRunLog(ref)
      const rewound = EventLog.of({
        ...log,
        readFrom: () => Effect.fail(new LogRewound({ path: "x", kind: "rewritten" }))
      })
      const second = yield* Effect.provideService(readRunLog(ref), EventLog, rewound)
      const third = yield* readRunLog(another)
      return [[first, second], [yield* log.read(reviewRun, another), third]]
    }))
  )
  assert.deepStrictEqual(again?.[1], again?.[0])
  assert.deepStrictEqual(other?.[1], other?.[0])
})
