// LongText: a text that is too long for a line is kept beside the log, under a name of its own.
import { Effect } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isKeptName, keepLong, takeFitting, textName } from "../../../src/run/LongText.ts"
import { runRef } from "./events.ts"
import { onMachine } from "./opened.ts"

describe("a long text", () => {
  it("that does not fit in a line is kept beside the log, and a short one is not", async () => {
    const [short, long] = await onMachine(
      Effect.all([keepLong(runRef(), "x".repeat(4_000)), keepLong(runRef(), "x".repeat(4_001))])
    )
    assert.deepStrictEqual(short, { text: "x".repeat(4_000) })
    assert.strictEqual(long?.text.length, 4_000)
    assert.strictEqual(long?.rest?.bytes, 4_001)
  })

  it("is cut between characters", async () => {
    const [long] = await onMachine(Effect.all([keepLong(runRef(), `x${"😀".repeat(3_000)}`)]))
    assert.isTrue(long?.text.isWellFormed())
  })
})

const hex = "0123456789abcdef".repeat(4)

describe("the name of a long text", () => {
  it("is texts/<sha256>.txt", () => {
    assert.strictEqual(textName(hex), `texts/${hex}.txt`)
    assert.isTrue(isKeptName("text", textName(hex)))
  })
})

describe("a forged name", () => {
  const forged = [
    "",
    "manifest.jsonl",
    `texts/${hex}`,
    `texts/../${hex}.txt`,
    `../texts/${hex}.txt`,
    `texts/${hex.slice(1)}.txt`,
    `texts/${hex.toUpperCase()}.txt`,
    `texts/${hex}.txt\n`,
    "torn/1-0123456",
    "torn/../../1-01234567",
    "torn/-01234567",
    "/torn/1-01234567",
    ".torn/1-01234567",
    "../torn/1-01234567",
    "a/b.torn/1-01234567",
    "a..torn/1-01234567"
  ]
  it.each(forged)("%j is not a name of a kept file", (name) => {
    assert.isFalse(isKeptName("text", name))
    assert.isFalse(isKeptName("torn", name))
  })

  it("can be a name of the other kind", () => {
    assert.isTrue(isKeptName("torn", "torn/120-01234567"))
    assert.isTrue(isKeptName("torn", "plan-run.torn/120-01234567"))
    assert.isFalse(isKeptName("text", "torn/120-01234567"))
    assert.isFalse(isKeptName("torn", textName(hex)))
  })
})

const bytes = (values: ReadonlyArray<unknown>) => Buffer.byteLength(JSON.stringify(values)) - 1

describe("values that fit", () => {
  it("are the first ones, counted in bytes as they are written", () => {
    assert.deepStrictEqual(takeFitting(["ab", "cd"], 10), ["ab", "cd"])
    assert.deepStrictEqual(takeFitting(["ab", "cd"], 9), ["ab"])
    assert.deepStrictEqual(takeFitting(["漢", "b"], 9), ["漢"])
    assert.deepStrictEqual(takeFitting(["\u0001", "b"], 8), [])
    assert.deepStrictEqual(takeFitting([], 0), [])
  })

  it("fill the room exactly", () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat(400), (values, most) => {
      const kept = takeFitting(values, most)
      assert.deepStrictEqual(kept, values.slice(0, kept.length))
      assert.isTrue(kept.length === 0 || bytes(kept) <= most)
      assert.isTrue(kept.length === values.length || bytes(values.slice(0, kept.length + 1)) > most)
    }))
  })
})
