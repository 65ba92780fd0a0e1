// A walk: each event with the state before and after it, and what a version does that does not know an event.
import { assert, describe, it } from "vitest"
import type { Envelope } from "../../../src/log/Frame.ts"
import { fold, walkStart, type WalkState, walker } from "../../../src/log/Walk.ts"
import { added, begun, bought, emptyList, type Shopping, shopping } from "./shopping.ts"

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

/** How far the walk is behind lines, each with these events. */
const behind = (...lines: ReadonlyArray<ReadonlyArray<unknown>>): WalkState<Shopping> =>
  lines.reduce((walked: WalkState<Shopping>, events, i) => walk(walked, line(i + 1, ...events)).after, walkStart)

describe("a walked line", () => {
  it("holds each event in its place, with the state before and after it", () => {
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

  it("with no event leaves the walk where it was", () => {
    const before = behind([begun])
    assert.deepStrictEqual(walk(before, line(2)), { _tag: "Line", line: line(2), happenings: [], after: before })
  })

  it("before the genesis event has no state", () => {
    assert.deepStrictEqual(behind([added("milk")]), walkStart)
    assert.deepStrictEqual(behind([added("milk"), begun]).state, emptyList)
  })
})

describe("an unknown event", () => {
  const later = { _tag: "Later", more: 1 }

  it("ends what is known of the state, and is named once", () => {
    const walked = behind([begun], [later], [added("milk")], [{ _tag: "Latest" }])
    assert.deepStrictEqual(walked, { state: null, unknown: { _tag: "UnknownEvent", line: 2, event: "Later" } })
    assert.isNull(behind([later], [begun]).state)
  })

  it("is shown as it stands in the line", () => {
    const [happening] = walk(behind([begun]), line(2, later)).happenings
    assert.strictEqual(happening?.raw, later)
    assert.isNull(happening?.event)
  })

  it("is passed over where its writer said so", () => {
    assert.deepStrictEqual(
      behind([begun], [{ ...later, ignorable: true }, added("milk")]),
      { state: { ...emptyList, open: ["milk"] }, unknown: null }
    )
  })

  it("is also one of a known name with other fields", () =>
    assert.isNull(behind([begun], [{ _tag: "ItemAdded", item: 7 }]).state))
})

describe("the fold of a whole log", () => {
  const at = "2030-01-01T00:00:01.000Z"

  it("is the state behind its last line", () => {
    const commits = [{ seq: 1, at, events: [begun] }, { seq: 2, at, events: [added("milk")] }]
    assert.deepStrictEqual(fold(shopping, commits), behind([begun], [added("milk")]).state)
  })

  it("is nothing where nothing began", () => {
    assert.isNull(fold(shopping, []))
    assert.isNull(fold(shopping, [{ seq: 1, at, events: [added("milk")] }]))
  })
})
