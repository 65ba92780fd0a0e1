// Identity: the laws of comparing what reviewers saw.
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { differs, sameContent, sameInput } from "../src/run/Identity.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const identity = arbitraries.identity
const fields = ["head", "index", "tree", "nested", "view", "instructions"] as const

describe("comparing identities", () => {
  it("calls only known ones the same, and each known one the same as itself", () => {
    fc.assert(fc.property(identity, identity, (a, b) => {
      if (a._tag === "Unknown" || b._tag === "Unknown") {
        return sameInput(a, b) !== "Same" && sameContent(a, b) !== "Same"
      }
      return sameInput(a, a) === "Same" && sameContent(a, a) === "Same"
    }))
  })

  it("differs between two of an earlier version exactly where a commit or the tree does", () => {
    const { known } = arbitraries
    fc.assert(
      fc.property(
        known(),
        known(),
        (a, b) => differs(a, b) === (a.head !== b.head || a.tree !== b.tree || a.base !== b.base)
      )
    )
  })

  it("finds every change of what a reviewer of uncommitted changes sees", () => {
    fc.assert(
      fc.property(
        arbitraries.wholeIdentity(),
        fc.constantFrom(...fields),
        (then, field) => sameInput(then, { ...then, [field]: "changed" }) === "Different"
      )
    )
  })

  it("counts what is known to differ whatever else is unknown", () => {
    fc.assert(
      fc.property(
        arbitraries.wholeIdentity(),
        fc.constantFrom(...fields),
        (then, field) =>
          sameInput(then, { _tag: "Unknown", why: "", index: then.index ?? "", [field]: "changed" }) === "Different"
      )
    )
  })

  it("never takes two contents for one where the input is one", () => {
    fc.assert(fc.property(identity, identity, (a, b) => sameInput(a, b) !== "Same" || sameContent(a, b) === "Same"))
  })
})
