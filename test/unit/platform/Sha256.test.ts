// Sha256: the digest that every other program gives, too.
import { assert, describe, it } from "vitest"
import { sha256, sha256Base64 } from "../../../src/platform/Sha256.ts"

const known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

describe("sha256", () => {
  it("is the one of the standard, of a text and of its bytes", () => {
    assert.strictEqual(sha256("abc"), known)
    assert.strictEqual(sha256(new TextEncoder().encode("abc")), known)
    assert.strictEqual(sha256("ü"), sha256(new TextEncoder().encode("ü")))
  })

  it("is the same in base 64", () =>
    assert.strictEqual(sha256Base64("abc"), Buffer.from(known, "hex").toString("base64")))
})
