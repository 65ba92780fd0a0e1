// A walk over a log as it lies in a store: what is walked, what is left out, where it ends and how it goes on.
import { Effect, Fiber, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { walkLog, type WalkOptions, type WalkPlace, type WalkStep } from "../../../src/log/Walk.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { layer } from "../../../src/testing/memory/EventLog.ts"
import { onlyRun } from "./onlyRun.ts"
import { added, begun, olderShopping, priced, type Shopping, shopping, type ShoppingEvent } from "./shopping.ts"

const run = onlyRun("/state")
const items = ["milk", "tea", "bread"]

/** A log of a beginning and one line an item. */
const written = Effect.gen(function*() {
  const log = yield* EventLog
  let head = yield* log.create(shopping, run, [begun])
  for (const item of items) head = yield* log.append(shopping, run, head, [added(item), priced(item, 1)])
  return head
})

const onMemory = <A, E>(effect: Effect.Effect<A, E, EventLog>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer))

const walked = (options?: WalkOptions<Shopping>) => Stream.runCollect(walkLog(shopping, run, options))
const seqs = (steps: ReadonlyArray<WalkStep<ShoppingEvent, Shopping>>): ReadonlyArray<number | "end"> =>
  steps.map((step) => step._tag === "Line" ? step.line.seq : "end")

describe("a walk", () => {
  it("has every line once, in order, and then the end", async () => {
    const { head, steps } = await onMemory(Effect.all({ head: written, steps: walked() }))
    assert.deepStrictEqual(seqs(steps), [1, 2, 3, 4, "end"])
    const end = steps.at(-1)
    if (end?._tag !== "End") return assert.fail("no end")
    assert.deepStrictEqual(end.place, {
      head,
      walked: { state: { list: "food", open: items, bought: 0 }, unknown: null }
    })
    assert.deepStrictEqual([end.torn, end.anchored], [0, true])
  })

  it("leaves lines out without leaving them out of the state", async () => {
    const { steps } = await onMemory(Effect.all({ head: written, steps: walked({ after: 3 }) }))
    assert.deepStrictEqual(seqs(steps), [4, "end"])
    const [last] = steps
    assert.deepStrictEqual(last?._tag === "Line" ? last.after.state?.open : null, items)
  })

  it("is over with the line it was to end with", async () => {
    const { steps } = await onMemory(Effect.all({ head: written, steps: walked({ until: 2 }) }))
    assert.deepStrictEqual(seqs(steps), [1, 2])
  })

  it("goes on from where another has come to", async () => {
    const { later, place } = await onMemory(Effect.gen(function*() {
      const log = yield* EventLog
      const head = yield* written
      const end = (yield* walked()).at(-1)
      const place: WalkPlace<Shopping> = end?._tag === "End" ? end.place : assert.fail("no end")
      yield* log.append(shopping, run, head, [added("jam")])
      return { later: yield* walked({ from: place }), place }
    }))
    assert.deepStrictEqual(seqs(later), [5, "end"])
    const [line] = later
    if (line?._tag !== "Line") return assert.fail("no line")
    assert.strictEqual(line.happenings[0]?.before, place.walked)
    assert.deepStrictEqual(line.after.state?.open, [...items, "jam"])
  })

  it("follows what is committed later, each line once", async () => {
    const steps = await onMemory(Effect.gen(function*() {
      const log = yield* EventLog
      const head = yield* log.create(shopping, run, [begun])
      const following = yield* Effect.forkChild(walked({ follow: true, until: 3 }))
      yield* Effect.sleep("250 millis")
      const next = yield* log.append(shopping, run, head, [added("milk")])
      yield* Effect.sleep("250 millis")
      yield* log.append(shopping, run, next, [added("tea")])
      return yield* Fiber.join(following)
    }))
    assert.deepStrictEqual(seqs(steps).filter((seq) => seq !== "end"), [1, 2, 3])
  })

  it("by an older version of the kind passes over what it may, and shows it", async () => {
    const steps = await onMemory(Effect.andThen(written, Stream.runCollect(walkLog(olderShopping, run))))
    const happenings = steps.flatMap((step) => step._tag === "Line" ? step.happenings : [])
    assert.deepStrictEqual(
      happenings.filter(({ event }) => event === null).map(({ raw }) => raw),
      items.map((item) => ({
        _tag: "PriceSeen",
        item,
        cents: 1,
        ignorable: true
      }))
    )
    assert.deepStrictEqual(happenings.at(-1)?.after.state?.open, items)
  })

  it("tells the same of a long log, whose events compiled code decodes", async () => {
    const { afresh, later } = await onMemory(Effect.gen(function*() {
      const log = yield* EventLog
      let head = yield* written
      while (head.seq < 5000) head = yield* log.append(shopping, run, head, [added("jam")])
      const end = (yield* walked()).at(-1)
      const place: WalkPlace<Shopping> = end?._tag === "End" ? end.place : assert.fail("no end")
      yield* log.append(shopping, run, head, [added("salt"), priced("salt", 2)])
      return { afresh: yield* walked({ after: 5000 }), later: yield* walked({ from: place }) }
    }))
    assert.deepStrictEqual(later, afresh)
    assert.deepStrictEqual(seqs(later), [5001, "end"])
  })

  it("of a log that is not there fails as reading it does", async () => {
    const error = await onMemory(Effect.flip(walked()))
    assert.strictEqual(error._tag, "LogMissing")
  })

  it("starts anew each time it is run", async () => {
    const twice = await onMemory(Effect.gen(function*() {
      yield* written
      const walk = walkLog(shopping, run)
      return [yield* Stream.runCollect(walk), yield* Stream.runCollect(walk)]
    }))
    assert.deepStrictEqual(twice[0], twice[1])
  })
})
