// The head of a report: outcome, proof, audit.
import { assert, describe, it } from "vitest"
import { head, headSection } from "../../../../../src/read/report/page/Page.ts"
import { reportOf } from "../reports.ts"

describe("the head", () => {
  it("names the run and its outcome, and leads to the sections", () => {
    const { text } = head(reportOf("said"), [["path", "Path"]])
    assert.include(text, "<code>20300101T000001Z-000000001-p1</code>")
    assert.include(text, `<span class="mark bad verdict">said</span>`)
    assert.include(text, `<a href="#path">Path</a>`)
  })

  it("tells the proof of each level, and what the audit found", () => {
    const { text } = headSection(reportOf("said"))
    assert.include(text, `<th scope="row">low</th>`)
    assert.include(text, `<li><span class="mark good">said</span></li>`)
    assert.include(text, "In all: said.")
    assert.include(text, "3 findings and notes")
    assert.include(text, "2 more: ")
  })

  it("says where nothing is proven", () => {
    assert.include(headSection(reportOf("x", { proof: null })).text, "No fixed point was reached")
    assert.include(headSection(reportOf("x", { proof: null, path: null })).text, "A plan run proves nothing")
  })
})
