// End: what is recorded as finished or ended, in which line, which reviewers are ended, and what happens in between.
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import type { LoggedEvent } from "../../../src/log/StreamKind.ts"
import type { Event, StopCause } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { endOpen, endRemains, endReviews, recordFinished } from "../../../src/review/End.ts"
import { startReviews } from "../../../src/review/Start.ts"
import type { Run } from "../../../src/run/Run.ts"
import { EventLog, LogConflict, LogUnavailable } from "../../../src/log/EventLog.ts"
import { Signals } from "../../../src/platform/Process.ts"
import { Memory, Scripted, World } from "../../../src/testing.ts"
import { opened as batchOpened, batchStarted, failed, finished, started, stopped } from "../run/events.ts"
import { byAnother, lines, living, onMachine, opened, tags } from "../run/opened.ts"
import { looking, unreadable } from "../../support/reviewers.ts"

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 3 })
const begun = Effect.flatMap(opened(), (run) => startReviews(run, { cause: "not-started" }, { settings, cwd: "/repo" }))

/** Slot 1 ends at once, slot 2 fails at once with a transient error, slot 3 hangs. */
const script = ({ slot }: { readonly slot: number }) =>
  [Scripted.clean(), Scripted.transientFailure(), Scripted.silence][slot - 1] ?? Scripted.silence

const inSlots = (events: ReadonlyArray<LoggedEvent<Event>> | undefined) =>
  events?.map((event) => `${event._tag} ${"slot" in event ? event.slot : ""}`.trim())

/** Records the calls of ports that change something, and runs an effect right after one of them. */
const after = (call: string, then: Effect.Effect<void>) =>
  World.use(({ witness }) => Ref.set(witness, (one, when) => one === call && when === "after" ? then : Effect.void))

describe("a reviewer that ended by itself", () => {
  it("is recorded, and running ones continue", async () => {
    const { run, left, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* recordFinished(yield* begun)
        return { run, left: yield* living, written: yield* lines }
      }),
      { script }
    )
    assert.deepStrictEqual(inSlots(written[1]), ["ReviewFinished 1", "ReviewFailed 2"])
    assert.deepStrictEqual([left, run.head.seq], [[3], 3])
  })

  it("is recorded whatever the limits of the step: no reviewer is ended because of them", async () => {
    const old = { _tag: "Alive", silentFor: 1e9, waitingForNetwork: 1e9, bytes: 1e12 } as const
    const written = await onMachine(
      Effect.andThen(Effect.flatMap(opened([batchStarted({ size: 1 }), started()]), recordFinished), tags),
      { reviewers: looking(() => old) }
    )
    assert.lengthOf(written, 1)
  })

  it("is not lost by a stop that cannot read it: nothing is recorded or ended", async () => {
    const { error, left, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* begun
        const before = yield* lines
        const error = yield* Effect.flip(endReviews(run, "Stop"))
        return { error, left: yield* living, written: (yield* lines).slice(before.length) }
      }),
      { script, reviewFiles: unreadable }
    )
    assert.strictEqual(error._tag, "ReviewFilesFailed")
    assert.deepStrictEqual([written, left], [[], [3]])
  })

  it("does not block a new run if it cannot be read", async () => {
    const { ended, left, written } = await onMachine(
      Effect.gen(function*() {
        const ended = yield* endReviews(yield* begun, "Fresh")
        return { ended, left: yield* living, written: yield* lines }
      }),
      { script, reviewFiles: unreadable }
    )
    assert.deepStrictEqual(inSlots(written[1]), ["ReviewStopped 1", "ReviewStopped 2", "ReviewStopped 3"])
    assert.deepStrictEqual([ended.reviewers, left], [3, []])
  })

  it("is left to the process that recorded it first", async () => {
    const error = await onMachine(
      Effect.gen(function*() {
        const run = yield* begun
        yield* byAnother(run, [failed()])
        return yield* Effect.flip(recordFinished(run))
      }),
      { script }
    )
    assert.instanceOf(error, LogConflict)
  })
})

describe("ending a batch", () => {
  it("records what finished, records the rest as ended in one line, and ends it", async () => {
    const { ended, left, written } = await onMachine(
      Effect.gen(function*() {
        const ended = yield* endReviews(yield* begun, "Fresh")
        return { ended, left: yield* living, written: yield* lines }
      }),
      { script }
    )
    assert.deepStrictEqual(written.slice(1).map(inSlots), [
      ["ReviewFinished 1", "ReviewFailed 2"],
      ["ReviewStopped 3", "ReviewStopped 2"]
    ])
    assert.deepInclude(written[2]?.[0], { _tag: "ReviewStopped", level: "low", batch: 1, attempt: 1, cause: "Fresh" })
    assert.deepStrictEqual([ended.reviewers, left, ended.run.head.seq], [1, [], 4])
  })

  it("reads the run again, and ends what another step started", async () => {
    const left = await onMachine(
      Effect.gen(function*() {
        const before = yield* opened()
        yield* startReviews(before, { cause: "not-started" }, { settings, cwd: "/repo" })
        yield* endReviews(before, "Fresh")
        return yield* living
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual(left, [])
  })

  it("that a limit holds back is recorded by its next slot", async () => {
    const held = [batchStarted({ size: 2 })]
    const { ended, written } = await onMachine(Effect.gen(function*() {
      return { ended: yield* endReviews(yield* opened(held), "Stop"), written: yield* lines }
    }))
    assert.deepStrictEqual([inSlots(written[1]), ended.reviewers], [["ReviewStopped 1"], 0])
    assert.deepInclude(written[1]?.[0], { attempt: 1 })
  })

  it("without running reviewers writes nothing, and says so", async () => {
    const { ended, written } = await onMachine(Effect.gen(function*() {
      return { ended: yield* endReviews(yield* opened(), "Stop"), written: yield* lines }
    }))
    assert.deepStrictEqual([ended.reviewers, written], [null, []])
  })

  it("after a lost race is decided again from the winner's line", async () => {
    const { ended, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* begun
        // Right before this one commits, another step records the finished reviewers.
        const log = yield* EventLog
        let others: ReadonlyArray<Event> = [failed(), failed({ slot: 2, kind: "RateLimited", transient: true })]
        yield* World.use(({ witness }) =>
          Ref.set(witness, (call, when) => {
            if (call !== "EventLog.append" || when !== "before" || others.length === 0) return Effect.void
            const events = others
            others = []
            return Effect.asVoid(Effect.orDie(log.append(reviewRun, run.ref, run.head, events)))
          })
        )
        const ended = yield* endReviews(run, "Stop")
        return { ended, written: yield* lines }
      }),
      { script }
    )
    assert.deepStrictEqual(written.slice(1).map(inSlots), [
      ["ReviewFailed 1", "ReviewFailed 2"],
      ["ReviewStopped 3", "ReviewStopped 2"]
    ])
    assert.strictEqual(ended.reviewers, 1)
  })

  it("on request ends the reviewers even if a full disk takes no record", async () => {
    /** The reviewers that live after an end whose commit fails with this error. */
    const leftBy = (cause: StopCause, code: string) => {
      let isBroken = false
      const error = new LogUnavailable({
        path: "/log",
        reason: { _tag: "SystemRefused", code, call: "write", said: code }
      })
      const eventLog = Layer.effect(
        EventLog,
        Effect.map(EventLog, (log) =>
          EventLog.of({
            ...log,
            append: (...given) => Effect.suspend(() => isBroken ? Effect.fail(error) : log.append(...given))
          }))
      ).pipe(Layer.provide(Memory.eventLog))
      return onMachine(
        Effect.gen(function*() {
          const run = yield* begun
          isBroken = true
          assert.strictEqual(yield* Effect.flip(endReviews(run, cause)), error)
          return yield* living
        }),
        { script: () => Scripted.silence, eventLog }
      )
    }
    assert.deepStrictEqual(await leftBy("Stop", "ENOSPC"), [])
    assert.deepStrictEqual(await leftBy("Stop", "EIO"), [1, 2, 3])
    assert.deepStrictEqual(await leftBy("Fresh", "ENOSPC"), [1, 2, 3])
  })

  it("records related events in its line", async () => {
    const facts = [batchOpened("medium", 1)]
    const { left, run, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* endOpen(yield* begun, "Mark", facts)
        return { run, left: yield* living, written: yield* lines }
      }),
      { script }
    )
    const three = ["ReviewStopped 1", "ReviewStopped 2", "ReviewStopped 3"]
    assert.deepStrictEqual(inSlots(written[1]), [...three, "BatchOpened"])
    assert.deepStrictEqual([run.manifest.current_level, left], ["medium", []])
  })
})

describe("between the record and the last end", () => {
  /** Ends three reviewers, with an effect between the record and their end. */
  const meanwhile = (between: (fiber: Fiber.Fiber<Run, unknown>) => Effect.Effect<unknown, never, World>) =>
    onMachine(
      Effect.gen(function*() {
        const run = yield* begun
        const world = yield* World
        const recorded = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        yield* after("EventLog.append", Effect.andThen(Deferred.succeed(recorded, undefined), Deferred.await(goOn)))
        const fiber = yield* Effect.forkChild(endOpen(run, "Interrupt"))
        yield* Deferred.await(recorded)
        const inBetween = yield* Effect.forkChild(between(fiber))
        yield* Effect.repeat(Effect.yieldNow, { times: 10 })
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.await(fiber)
        yield* Fiber.await(inBetween)
        return { left: yield* living, written: yield* tags, busy: yield* Ref.get(world.busy) }
      }),
      { script: () => Scripted.silence }
    )

  it("an interruption waits", async () => {
    const { busy, left, written } = await meanwhile((fiber) => Fiber.interrupt(fiber))
    assert.deepStrictEqual([left, busy], [[], 0])
    assert.deepStrictEqual(written[1], ["ReviewStopped", "ReviewStopped", "ReviewStopped"])
  })

  it("signals are handled, so that none of them kills the process", async () => {
    let heard = 0
    const signals = Layer.succeed(Signals, {
      asked: Effect.onInterrupt(
        Effect.andThen(Effect.sync(() => void heard++), Effect.never),
        () => Effect.sync(() => void heard--)
      )
    })
    const during: Array<number> = []
    await onMachine(
      Effect.gen(function*() {
        const run = yield* begun
        yield* World.use(({ witness }) => Ref.set(witness, () => Effect.sync(() => void during.push(heard))))
        yield* Effect.provide(endOpen(run, "Interrupt"), signals)
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([during, heard], [[1, 1, 1, 1], 0])
  })
})

describe("leftovers of an end that was killed", () => {
  const run = (batch: ReadonlyArray<Event>) => {
    const calls: Array<string> = []
    return onMachine(Effect.as(Effect.flatMap(opened(batch), endRemains), calls), {
      reviewers: looking(() => assert.fail("looked"), (what) => void calls.push(what))
    })
  }

  it("are ended by their place, if attempts were recorded as stopped", async () => {
    const two = [batchStarted({ size: 3 }), started(), started({ slot: 2, id: "id-2" })]
    assert.deepStrictEqual(await run([...two, stopped(), stopped({ slot: 2 })]), ["stop 1,2"])
  })

  it("are looked for behind every finished attempt", async () => {
    assert.deepStrictEqual(await run([batchStarted(), started(), finished("Clean")]), ["stop 1"])
  })

  it("do not exist if all attempts run, or the batch was not started", async () => {
    assert.deepStrictEqual(await run([batchStarted(), started()]), [])
    assert.deepStrictEqual(await onMachine(Effect.as(Effect.flatMap(opened(), endRemains), "nothing")), "nothing")
  })
})
