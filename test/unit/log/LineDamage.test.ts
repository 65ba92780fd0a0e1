// The damage that bytes show on their face, each with its name.
import { assert, describe, it } from "vitest"
import { Damage, visibleDamage } from "../../../src/log/Frame.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("bytes", () => {
  const cases: ReadonlyArray<readonly [string, Damage | null]> = [
    ["", "blank line"],
    [" \t", "blank line"],
    ["\ufeff{}", "BOM"],
    ["{}\r", "CRLF"],
    ["{\u0000}\r", "NUL"],
    ["\u0000", "NUL"],
    ["{}", null],
    ["\r{}", null]
  ]
  it.each(cases)("%o look like %o", (text, damage) => assert.strictEqual(visibleDamage(bytes(text)), damage))

  it("that begin like a mark of byte order and end too soon show nothing", () =>
    assert.isNull(visibleDamage(bytes("\ufeff{").subarray(0, 2))))
})

describe("the names of damage", () => {
  it("are told apart", () => assert.strictEqual(new Set(Damage.literals).size, Damage.literals.length))
})
