// Sha256: the digest that every other program gives, too.
import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { sha256 } from "../../../src/text/Sha256.ts"

const known = (text: string): string => createHash("sha256").update(text).digest("hex")

describe("sha256", () => {
  it("is that of the standard", () => {
    assert.strictEqual(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    assert.strictEqual(sha256(""), known(""))
  })

  it("is right at every length around the ends of blocks", () => {
    for (let length = 0; length < 200; length++) {
      const text = "x".repeat(length)
      assert.strictEqual(sha256(text), known(text), String(length))
    }
  })

  it("is taken of the bytes in UTF-8", () =>
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      assert.strictEqual(sha256(text), known(text))
    })))

  it("is right for a long text", () => {
    const text = "0123456789abcdef".repeat(100_000)
    assert.strictEqual(sha256(text), known(text))
  })
})
