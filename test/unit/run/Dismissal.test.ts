// Dismissal: how long a dismissal is valid, and which one replaces another.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Day, type Dismissal, FingerprintText, isInForce, replaceDismissal } from "../../../src/run/Dismissal.ts"

const dismissal: Dismissal = {
  fingerprint: "0123456789abcdef",
  priority: 1,
  path: "a.ts",
  wordings: [],
  until: null,
  reason: "so",
  at: "",
  scope: "run"
}

describe("a dismissal", () => {
  it("is valid to the end of its last day, or for ever without one", () => {
    assert.isTrue(isInForce({ until: null }, "2999-01-01"))
    assert.deepStrictEqual(
      ["2026-11-30", "2026-12-01", "2026-12-02"].map((day) => isInForce({ until: "2026-12-01" }, day)),
      [true, true, false]
    )
  })

  it("replaces only an earlier one of the same finding and scope, and comes last", () => {
    const [repo, other, later]: ReadonlyArray<Dismissal> = [
      { ...dismissal, scope: "repo" },
      { ...dismissal, fingerprint: "f".repeat(16) },
      { ...dismissal, reason: "else" }
    ]
    if (repo === undefined || other === undefined || later === undefined) return assert.fail("none")
    assert.deepStrictEqual(replaceDismissal([dismissal, repo, other], later), [repo, other, later])
  })

  it("needs the name of a finding, and a real day", () => {
    for (const text of ["0123456789abcde", "0123456789ABCDEF", ""]) {
      assert.isFalse(Schema.is(FingerprintText)(text), text)
    }
    for (const text of ["2026-1-1", "tomorrow", "2026-02-29", "2100-02-29", "2026-04-31", "2026-01-00"]) {
      assert.isFalse(Schema.is(Day)(text), text)
    }
    for (const text of ["2028-02-29", "2000-02-29", "2026-12-31"]) assert.isTrue(Schema.is(Day)(text), text)
  })
})
