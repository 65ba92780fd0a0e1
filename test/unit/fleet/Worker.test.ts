// Worker: as many things at once as there are places, and an end that loses nothing. test/fleet has workers do something.
import { Context, Deferred, Effect, Fiber, Latch, Layer, Queue } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import { Accounts } from "../../../src/fleet/Deliveries.ts"
import { pinnedLayers as shown } from "../../../src/fleet/PinnedCode.live.ts"
import { PinnedCode } from "../../../src/fleet/PinnedCode.ts"
import { fillPlaces, type Queues, work, type WorkOptions } from "../../../src/fleet/Worker.ts"
import { unlimited } from "../../../src/fleet/sql/Locks.live.ts"
import { reviews, submitted, turns } from "../../../src/fleet/sql/Queues.live.ts"
import { Signals } from "../../../src/platform/Process.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import * as Memory from "../../../src/testing/Memory.ts"
import { pinnedOf } from "./pins.ts"
import {
  deliveriesWith,
  deliveryOf,
  evidence,
  submissionsWith,
  targetsWith,
  treesWith,
  workbenchWith
} from "./fakes.ts"

describe("a worker", () => {
  const idle = Layer.mergeAll(
    unlimited,
    deliveriesWith(),
    targetsWith(),
    workbenchWith(),
    treesWith("/tree"),
    submissionsWith([]),
    Layer.succeed(PinnedCode, { pin: () => Effect.succeed(pinnedOf()), shown })
  )

  const working = (queues: Queues, local: Context.Context<Reviewers | ReviewFiles>): WorkOptions => ({
    root: "pg:1",
    machine: "m",
    queues,
    local,
    environment: {},
    capacity: 2,
    active: 1,
    tellEvery: 1000,
    codexBin: "codex",
    retro: "park",
    idleTimeout: 1000,
    reviewTimeout: 1000
  })

  /** What happens where signals come as soon as a reviewer is at work that ends after so many looks. */
  const signalled = async (looks: number) => {
    const happened: Array<string> = []
    const say = (what: string) => Effect.sync(() => void happened.push(what))
    let left = looks
    const busy = Layer.mergeAll(
      deliveriesWith({
        take: () => Effect.as(say("taken"), deliveryOf()),
        seen: () => Effect.succeed(true),
        ended: () => Effect.as(say("ended"), true),
        returned: () => say("returned")
      }),
      workbenchWith({ found: Effect.succeed([deliveryOf().attempt]), close: () => say("closed") }),
      submissionsWith([pinnedOf()]),
      Layer.mock(ReviewFiles, { evidence: () => Effect.succeed(evidence) }),
      Layer.succeed(Reviewers, {
        digest: () => Effect.succeed(null),
        locate: (binary) => Effect.succeed(binary),
        launch: () => say("launched"),
        look: () =>
          Effect.sync(() => [
            left-- > 0
              ? { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }
              : { _tag: "Exited", status: 0, deadline: false }
          ]),
        listen: () => Effect.succeed(() => Effect.sleep(5)),
        stop: () => Effect.as(say("stopped"), 1)
      })
    )
    // Each time that it listens a signal comes once a reviewer is at work.
    const atWork = Effect.gen(function*() {
      while (!happened.includes("launched")) yield* Effect.sleep(5)
      return "SIGTERM" as const
    })
    const asked = Layer.succeed(Signals, { asked: atWork })
    const worked = Effect.gen(function*() {
      const queues = { reviews: yield* reviews, turns: yield* turns, submitted: yield* submitted }
      yield* queues.reviews.offer({ attempt: "a" }, { id: "a" })
      yield* work(
        working(queues, Context.pick(Reviewers, ReviewFiles)(yield* Effect.context<Reviewers | ReviewFiles>()))
      )
    })
    const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
    await Effect.runPromise(
      Effect.provide(worked, Layer.mergeAll(Memory.layer(), idle, queues, asked).pipe(Layer.merge(busy)))
    )
    return happened
  }
  // An earlier worker has left a reviewer, which is ended first.
  const leftover = ["stopped", "closed"]

  it("gives its reviews back when it is asked a second time", async () =>
    assert.deepStrictEqual(
      await signalled(Number.POSITIVE_INFINITY),
      [...leftover, "taken", "launched", "stopped", "closed", "returned"]
    ))

  it("finishes its reviews where one signal arrives twice at once", async () =>
    assert.deepStrictEqual(
      await signalled(5),
      [...leftover, "taken", "launched", "ended", "stopped", "closed"]
    ))

  it("begins no run while as many are active as may be", async () => {
    const happened: Array<string> = []
    const say = (what: string) => Effect.sync(() => void happened.push(what))
    const full = targetsWith({
      active: () => Effect.map(say("full"), () => happened.length > 1 ? 0 : 1),
      begin: () => say("begun")
    })
    const worked = Effect.gen(function*() {
      const queues = { reviews: yield* reviews, turns: yield* turns, submitted: yield* submitted }
      yield* queues.submitted.offer({ root: "pg:1", repoId: "a", targetKey: "pr/7" }, { id: "a" })
      yield* work(
        working(queues, Context.pick(Reviewers, ReviewFiles)(yield* Effect.context<Reviewers | ReviewFiles>()))
      )
    })
    const begun = Effect.gen(function*() {
      while (!happened.includes("begun")) yield* Effect.sleep(5)
      return "SIGTERM" as const
    })
    const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
    const ports = Layer.mergeAll(Memory.layer(), idle, queues, Layer.succeed(Signals, { asked: begun }))
    await Effect.runPromise(Effect.provide(worked, Layer.merge(ports, full)))
    assert.deepStrictEqual(happened.slice(0, 3), ["full", "full", "begun"])
  })

  it("ends when it is asked to, after it has taken what was there", async () => {
    const ended = Effect.gen(function*() {
      const [toReview, toTurn, toBegin] = [yield* reviews, yield* turns, yield* submitted]
      yield* toReview.offer({ attempt: "gone" }, { id: "gone" })
      yield* toTurn.offer({ root: "pg:1", repoId: "a", targetKey: "pr/7" }, { id: "nothing" })
      const local = Context.pick(Reviewers, ReviewFiles)(yield* Effect.context<Reviewers | ReviewFiles>())
      yield* work(working({ reviews: toReview, turns: toTurn, submitted: toBegin }, local))
      const more = yield* Effect.timeoutOption(toReview.take(Effect.succeed), 20)
      return more._tag
    })
    const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
    const happened = new Set<string>()
    const say = (what: string) => Effect.sync(() => void happened.add(what))
    const recording = Layer.mergeAll(
      deliveriesWith({ take: () => Effect.as(say("review"), null) }),
      submissionsWith([], { of: () => Effect.as(say("turn"), []) })
    )
    const bothTaken = Effect.gen(function*() {
      while (happened.size < 2) yield* Effect.sleep(5)
      return "SIGTERM" as const
    })
    const ports = Layer.mergeAll(idle, queues, Layer.succeed(Signals, { asked: bothTaken })).pipe(
      Layer.merge(recording)
    )
    const more = await Effect.runPromise(ended.pipe(Effect.provide(Layer.merge(Memory.layer(), ports))))
    assert.strictEqual(more, "None")
  })
})

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

  it("continue after what failed", () =>
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

describe("accounts", () => {
  it("without an account everybody may review at once", async () => {
    const asked = Accounts.use((them) => Effect.andThen(them.cool(1000), them.using(Effect.succeed("reviewed"))))
    assert.strictEqual(await Effect.runPromise(Effect.provide(asked, unlimited)), "reviewed")
  })
})
