// Walk: each event of a log with the state before and after it, and how a version treats unknown events.
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { EventLog } from "../../../src/log/EventLog.ts"
import type { Envelope } from "../../../src/log/Frame.ts"
import {
  fold,
  walker,
  walkLog,
  type WalkOptions,
  type WalkPlace,
  walkStart,
  type WalkState,
  type WalkStep
} from "../../../src/log/Walk.ts"
import { layer } from "../../../src/testing/memory/EventLog.ts"
import { onlyRun } from "./onlyRun.ts"
import {
  added,
  begun,
  bought,
  emptyList,
  olderShopping,
  priced,
  type Shopping,
  shopping,
  type ShoppingEvent
} from "./shopping.ts"

const line = (seq: number, ...events: ReadonlyArray<unknown>): Envelope => ({
  seq,
  at: `2030-01-01T00:00:0${seq}.000Z`,
  by: null,
  prev: "",
  hash: String(seq),
  events
})

const walk = walker(shopping)
const repaired = { _tag: "TailRepaired", offset: 9, bytes: 3, kept: "shopping.torn/9-01234567" }

/** The state of a walk after lines with these events. */
const behind = (...lines: ReadonlyArray<ReadonlyArray<unknown>>): WalkState<Shopping> =>
  lines.reduce((walked: WalkState<Shopping>, events, i) => walk(walked, line(i + 1, ...events)).after, walkStart)

describe("a walked line", () => {
  it("holds each event in order, with the state before and after it", () => {
    const before = behind([begun])
    const { after, happenings } = walk(before, line(2, added("milk"), repaired, bought("milk")))
    assert.deepStrictEqual(happenings.map(({ index }) => index), [0, 1, 2])
    assert.deepStrictEqual(happenings.map(({ event }) => event?._tag), ["ItemAdded", "TailRepaired", "ItemBought"])
    assert.strictEqual(happenings[0]?.before, before)
    const states = happenings.map(({ after: { state } }) => state)
    assert.deepStrictEqual(states, [
      { ...emptyList, open: ["milk"] },
      { ...emptyList, open: ["milk"] },
      { ...emptyList, bought: 1 }
    ])
    assert.strictEqual(happenings[2]?.after, after)
    for (const [i, happening] of happenings.entries()) {
      if (i > 0) assert.strictEqual(happening.before, happenings[i - 1]?.after)
    }
  })

  it("has no state before the genesis event", () => {
    assert.deepStrictEqual(behind([added("milk")]), walkStart)
    assert.deepStrictEqual(behind([added("milk"), begun]).state, emptyList)
  })
})

describe("an unknown event", () => {
  const later = { _tag: "Later", more: 1 }

  it("ends the known state, and is reported once", () => {
    const walked = behind([begun], [later], [added("milk")], [{ _tag: "Latest" }])
    assert.deepStrictEqual(walked, { state: null, unknown: { _tag: "UnknownEvent", line: 2, event: "Later" } })
    assert.isNull(behind([later], [begun]).state)
  })

  it("is shown unchanged in the line", () => {
    const [happening] = walk(behind([begun]), line(2, later)).happenings
    assert.strictEqual(happening?.raw, later)
    assert.isNull(happening?.event)
  })

  it("can have a known name with other fields", () =>
    assert.isNull(behind([begun], [{ _tag: "ItemAdded", item: 7 }]).state))
})

describe("the fold of a whole log", () => {
  const at = "2030-01-01T00:00:01.000Z"

  it("is null if nothing began the log", () => {
    assert.isNull(fold(shopping, []))
    assert.isNull(fold(shopping, [{ seq: 1, at, events: [added("milk")] }]))
  })
})

describe("a walk over a stored log", () => {
  const run = onlyRun("/state")
  const items = ["milk", "tea", "bread"]

  /** A log of a beginning and one line per item. */
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

    it("ends with the requested line", async () => {
      const { steps } = await onMemory(Effect.all({ head: written, steps: walked({ until: 2 }) }))
      assert.deepStrictEqual(seqs(steps), [1, 2])
    })

    it("continues from the place of another walk", async () => {
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

    it("follows later commits, each line once", async () => {
      const steps = await onMemory(
        Effect.gen(function*() {
          const log = yield* EventLog
          const head = yield* log.create(shopping, run, [begun])
          const following = yield* Effect.forkChild(walked({ follow: true, until: 3 }))
          yield* TestClock.adjust("1 second")
          const next = yield* log.append(shopping, run, head, [added("milk")])
          yield* TestClock.adjust("1 second")
          yield* log.append(shopping, run, next, [added("tea")])
          yield* TestClock.adjust("1 second")
          return yield* Fiber.join(following)
        }).pipe(Effect.provide(TestClock.layer()))
      )
      assert.deepStrictEqual(seqs(steps).filter((seq) => seq !== "end"), [1, 2, 3])
    })

    it("by an older version of the kind skips what it may, and shows it", async () => {
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

    it("gives the same for a long log, whose events are decoded by compiled code", async () => {
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
  })
})
