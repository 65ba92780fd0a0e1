// KeptName: names of kept things as the format of the log gives them, and nothing else counts as one.
import { assert, describe, it } from "vitest"
import { isKeptName, textName } from "../../../src/run/LongText.ts"

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
  it.each(forged)("%j is no name of a kept thing", (name) => {
    assert.isFalse(isKeptName("text", name))
    assert.isFalse(isKeptName("torn", name))
  })

  it("is a name of the other kind too", () => {
    assert.isTrue(isKeptName("torn", "torn/120-01234567"))
    assert.isTrue(isKeptName("torn", "plan-run.torn/120-01234567"))
    assert.isFalse(isKeptName("text", "torn/120-01234567"))
    assert.isFalse(isKeptName("torn", textName(hex)))
  })
})
