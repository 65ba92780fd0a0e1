// Mark: the side-effect flags, with texts as an outer agent may pass them on.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Mark } from "../../../../src/run/Mark.ts"
import { mark, marks } from "../../../../src/testing/arbitraries/Invocation.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("a mark", () => {
  it("is any that there is, admitted by the domain, and shrinks towards a clean retrospective", () => {
    const all = drawn(mark)
    assert.sameMembers(tagsOf(all), Object.keys(Mark.cases))
    for (const one of all) assert.isTrue(Schema.is(Mark)(one))
    assert.deepStrictEqual(least(mark), { _tag: "RetroClean" })
  })

  it("carries reasons and details that try to break out of their line", () => {
    const texts = [
      ...drawn(marks.RetroChanges()).map(({ reason }) => reason),
      ...drawn(marks.AddressFailed()).map(({ details }) => details)
    ]
    assert.isTrue(texts.some(({ text }) => text.includes("\n")))
    assert.isTrue(texts.some(({ text }) => text.includes("\u001b")))
  })
})
