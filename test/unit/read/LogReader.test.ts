// What a kind has to say to be shown and audited: a reader and an auditor of any kind are enough, and no more is asked.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { walkStart, walker } from "../../../src/log/Walk.ts"
import type { LogAuditor, LogReader } from "../../../src/read/LogReader.ts"
import { added, begun, bought, type Shopping, shopping, type ShoppingEvent } from "../log/shopping.ts"
import { shoppingAuditor, shoppingReader, type ShoppingWord } from "./audit/shoppingReader.ts"

const walk = walker(shopping)
const first = walk(walkStart, { seq: 1, at: "", by: null, prev: "", hash: "1", events: [begun, added("milk")] })
const second = walk(first.after, { seq: 2, at: "", by: null, prev: "", hash: "2", events: [bought("tea")] })

const reader: LogReader<ShoppingEvent, Shopping, number | string | null> = shoppingReader(shopping)
const auditor: LogAuditor<ShoppingEvent, Shopping, number, ShoppingWord, never, never> = shoppingAuditor(shopping)

describe("a reader", () => {
  it("tells changes field by field", () =>
    assert.deepStrictEqual(first.happenings.flatMap(reader.changes), [
      { field: "open", before: null, after: "" },
      { field: "bought", before: null, after: 0 },
      { field: "open", before: "", after: "milk" }
    ]))
})

describe("an auditor", () => {
  it("carries what it knows from lines to further lines", async () => {
    const before = await Effect.runPromise(auditor.examine(auditor.begin, [first]))
    assert.deepStrictEqual(before, { known: 0, words: [] })
    const after = await Effect.runPromise(auditor.examine(before.known, [second]))
    assert.strictEqual(after.known, 1)
    assert.deepStrictEqual(after.words.map(({ _tag }) => _tag), ["Found"])
  })

  it("says what a log has left open at its end", async () => {
    const words = await Effect.runPromise(auditor.ended(second.after))
    assert.deepStrictEqual(words, [{ _tag: "Noted", note: { line: 0, text: "milk is still to be bought" } }])
  })
})
