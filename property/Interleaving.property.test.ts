// Interleaving: invocations at once, their changes in every order that fast-check's scheduler can think of.
// A position of the log is committed once; the law is shown to catch a log that allows it twice.
import { Effect, Layer, Ref } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { EventLog, RunStore } from "../src/index.ts"
import { Memory, System, World } from "../src/testing.ts"
import type { Call, Flag, Says } from "../src/testing/model/Model.ts"
import { loop, mark, succeeded } from "../src/testing/model/Play.ts"

const minute = 60_000

const call = (says: ReadonlyArray<Says>): Call => ({
  floor: "low",
  ceiling: "low",
  size: 2,
  fresh: false,
  bounded: false,
  parts: says.map((one) => ({ says: one, slow: false }))
})

/** An event log that records the position from which each line was decided, once per acknowledgement. */
const recorded = (positions: Array<string>, log: Layer.Layer<EventLog>) =>
  Layer.effect(
    EventLog,
    Effect.map(EventLog, (inner) =>
      EventLog.of({
        ...inner,
        append: (kind, run, expected, events) =>
          Effect.tap(inner.append(kind, run, expected, events), () =>
            Effect.sync(() => {
              positions.push(`${run} after line ${expected.seq}`)
            }))
      }))
  ).pipe(Layer.provide(log))

// Looks where the log ends, and only then writes there: the mistake that a conditional append is there to prevent.
const careless = Layer.effect(
  EventLog,
  Effect.map(EventLog, (inner) =>
    EventLog.of({
      ...inner,
      append: (kind, run, expected, events) =>
        Effect.gen(function*() {
          const { head } = yield* inner.readFrom(kind, run, expected)
          if (head.seq > expected.seq) return yield* inner.append(kind, run, expected, events)
          yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
          return yield* inner.append(kind, run, (yield* inner.readFrom(kind, run, expected)).head, events)
        })
    }))
).pipe(Layer.provide(Memory.eventLog))

const invocations = fc.oneof(
  fc.constantFrom(call(["clean"]), call(["issues", "failure"])).map(loop),
  fc.constantFrom("mark-retro-clean", "mark-address-passed", "restart-from-floor")
    .map((flag) => mark(flag, "low", "xhigh"))
)

/** Makes every change of a machine wait for the scheduler. */
const scheduled = (scheduler: fc.Scheduler) =>
  World.use(({ witness }) => {
    const held = (name: string) => Effect.promise(() => scheduler.schedule(Promise.resolve(), name))
    return Ref.set(witness, (name, when) => when === "before" ? held(name) : Effect.void)
  })

/** Plays invocations at once, in an order of their changes that fast-check chooses; returns the positions committed. */
const interleaved = async (
  log: Layer.Layer<EventLog>,
  scheduler: fc.Scheduler,
  effects: ReadonlyArray<ReturnType<typeof loop>>
) => {
  const positions: Array<string> = []
  const real = System.start(Memory.layer({ eventLog: recorded(positions, log) }))
  try {
    await succeeded(real.run(loop(call(["clean"]))))
    const together = Effect.all(effects, { concurrency: "unbounded" })
    await scheduler.waitFor(succeeded(real.run(Effect.andThen(scheduled(scheduler), together))))
  } finally {
    await real.dispose()
  }
  return positions
}

describe("two interleaved invocations", () => {
  const law = (log: Layer.Layer<EventLog>, pairs = fc.tuple(invocations, invocations)) =>
    fc.asyncProperty(fc.scheduler(), pairs, async (scheduler, effects) => {
      const positions = await interleaved(log, scheduler, effects)
      assert.sameMembers([...new Set(positions)], positions)
    })

  it("never both commit at one position", () => fc.assert(law(Memory.eventLog), { numRuns: 50 }), minute)

  const flagged = (flag: Flag) => mark(flag, "low", "xhigh")
  const named: Readonly<Record<string, readonly [ReturnType<typeof loop>, ReturnType<typeof loop>]>> = {
    "of two calls of one batch": [loop(call(["clean"])), loop(call(["clean"]))],
    "of a call and the mark that leaves its batch": [loop(call(["issues"])), flagged("mark-address-passed")],
    "of the same mark given twice": [flagged("mark-retro-clean"), flagged("mark-retro-clean")],
    "of two marks to one destination": [flagged("mark-address-passed"), flagged("restart-from-floor")]
  }
  it.each(Object.entries(named))(
    "never both commit at one position, %s",
    (_, [one, other]) => fc.assert(law(Memory.eventLog, fc.constant([one, other])), { numRuns: 15 }),
    minute
  )

  it("are caught when a log lets them", async () => {
    const { failed } = await fc.check(law(careless), { numRuns: 50 })
    assert.isTrue(failed)
  }, minute)
})

describe("first invocations at once", () => {
  it(
    "share one run, start each reviewer once, and end in the same outcome",
    () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 5 }), async (scheduler, count) => {
          const real = System.start(Memory.layer())
          try {
            const calls = Effect.all(Array.from({ length: count }, () => loop(call(["clean", "issues"]))), {
              concurrency: "unbounded"
            })
            const effect = Effect.andThen(scheduled(scheduler), calls)
            const outcomes = await scheduler.waitFor(succeeded(real.run(effect)))
            const [runs, reviewers] = await succeeded(real.run(Effect.gen(function*() {
              const { reviewers } = yield* World
              return [yield* (yield* RunStore).list("/state", null), yield* Ref.get(reviewers)] as const
            })))
            assert.deepStrictEqual([...new Set(outcomes)], ["HandoffAgent: AddressBatch of 1 at low"])
            assert.lengthOf(runs, 1)
            assert.lengthOf(reviewers, 2)
          } finally {
            await real.dispose()
          }
        }),
        { numRuns: 30 }
      ),
    minute
  )
})
