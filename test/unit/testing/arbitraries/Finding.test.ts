// Finding: what reviewers report: hostile texts, places anywhere, and the verdicts they lead to.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Finding } from "../../../../src/review/findings/Finding.ts"
import { finding, verdict, verdicts, written } from "../../../../src/testing/arbitraries/Fact.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("a finding as it is written", () => {
  const places = drawn(written()).map(({ place }) => place)

  it("points inside the repository, outside of it, or nowhere", () => {
    assert.isTrue(places.some((place) => place === null))
    assert.isTrue(places.some((place) => place?.path === "/etc/passwd"))
    assert.isTrue(places.some((place) => place?.path === "src/a.ts"))
  })

  it("names lines in their order", () => {
    for (const place of places) if (place?.lines) assert.isAtLeast(place.lines.end, place.lines.start)
  })
})

describe("a finding of a slot", () => {
  it("is admitted by the domain and keeps to the repository that it is seen from", () => {
    const place = fc.constant({ path: "/other/a.ts", lines: null })
    for (const one of drawn(finding({ written: written({ place }), root: fc.constant("/other") }), 50)) {
      assert.isTrue(Schema.is(Finding)(one))
      assert.strictEqual(one.path, "a.ts")
    }
    for (const one of drawn(finding({ written: written({ place }) }), 50)) assert.isNull(one.path)
  })

  it("is the slot's that is asked for", () => {
    for (const { detectedBy } of drawn(finding({ slot: fc.constant(5) }), 20)) assert.deepStrictEqual(detectedBy, [5])
  })
})

describe("a verdict", () => {
  it("is of every class, with findings where there are issues alone, and shrinks towards a clean one", () => {
    const all = drawn(verdict)
    assert.sameMembers(tagsOf(all), Object.keys(verdicts))
    assert.isTrue(all.some(({ findings }) => findings.length > 0))
    assert.isTrue(all.every(({ _tag, findings }) => _tag === "HasIssues" || findings.length === 0))
    assert.strictEqual(least(verdict)._tag, "Clean")
  })
})
