// Places: as many things at once as there are places, one asked for at a time, and an end that loses nothing.
import { Deferred, Effect, Fiber, Latch, Queue } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import { fillPlaces } from "../../../src/fleet/Worker.ts"

/** A queue of numbers, how many ask it at most, and how many are worked on at most. */
const bench = Effect.gen(function*() {
  const queue = yield* Queue.make<number>()
  const counts = { asking: 0, mostAsking: 0, working: 0, mostWorking: 0, done: [] as Array<number> }
  const take =
    (work: (value: number) => Effect.Effect<unknown, { readonly message: string }>) => (begun: Effect.Effect<void>) =>
      Effect.gen(function*() {
        counts.mostAsking = Math.max(counts.mostAsking, ++counts.asking)
        const value = yield* Effect.ensuring(
          Effect.andThen(Effect.sleep(1), Queue.take(queue)),
          Effect.sync(() => counts.asking--)
        )
        yield* begun
        counts.mostWorking = Math.max(counts.mostWorking, ++counts.working)
        yield* Effect.ensuring(work(value), Effect.sync(() => counts.working--))
        counts.done.push(value)
      })
  return { queue, counts, take, draining: yield* Latch.make() }
})

const inTime = <A, E>(test: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

describe("places", () => {
  it("do as much at once as there are, and only one asks", () =>
    inTime(Effect.gen(function*() {
      const { counts, draining, queue, take } = yield* bench
      yield* Queue.offerAll(queue, Array.from({ length: 12 }, (_, i) => i))
      const places = yield* Effect.forkChild(fillPlaces(3, draining, take(() => Effect.sleep(5))))
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(counts.done.length, 12)
      assert.deepEqual([counts.mostAsking, counts.mostWorking], [1, 3])
      yield* draining.open
      yield* Fiber.join(places)
    })))

  it("end with what they do when they are to drain, and ask for nothing more", () =>
    inTime(Effect.gen(function*() {
      const { counts, draining, queue, take } = yield* bench
      const go = yield* Deferred.make<void>()
      yield* Queue.offer(queue, 1)
      const places = yield* Effect.forkChild(fillPlaces(2, draining, take(() => Deferred.await(go))))
      yield* TestClock.adjust("10 millis")
      assert.deepEqual([counts.working, counts.asking], [1, 1])
      yield* draining.open
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(counts.asking, 0)
      yield* Queue.offer(queue, 2)
      yield* TestClock.adjust("20 millis")
      assert.deepEqual(counts.done, [])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(places)
      assert.deepEqual(counts.done, [1])
      assert.strictEqual(yield* Queue.size(queue), 1)
    })))

  it("go on after what failed", () =>
    inTime(Effect.gen(function*() {
      const { counts, draining, queue, take } = yield* bench
      yield* Queue.offerAll(queue, [1, 2, 3])
      const work = (value: number) => value === 2 ? Effect.fail({ message: "no" }) : Effect.void
      const places = yield* Effect.forkChild(fillPlaces(1, draining, take(work)))
      yield* TestClock.adjust("10 millis")
      assert.deepEqual(counts.done, [1, 3])
      yield* Fiber.interrupt(places)
    })))

  it("ask once a second where asking fails, and end at once when they are to drain", () =>
    inTime(
      Effect.gen(function*() {
        let asked = 0
        const draining = yield* Latch.make()
        const refused = Effect.suspend(() => Effect.fail({ message: `no ${asked++}` }))
        const places = yield* Effect.forkChild(fillPlaces(3, draining, () => refused))
        yield* TestClock.adjust("4500 millis")
        assert.strictEqual(asked, 5)
        yield* draining.open
        yield* Fiber.join(places)
      })
    ))
})
