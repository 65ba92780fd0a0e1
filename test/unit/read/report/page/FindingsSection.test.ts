// The section of the findings: each with its story, and a filter that a script brings to life.
import { assert, describe, it } from "vitest"
import { findingsSection } from "../../../../../src/read/report/page/Findings.ts"
import { findingPart } from "../reports.ts"

const sighting = (batch: number) => ({ at: { level: "low", batch }, state: "still there", slots: [1], of: 3 }) as const

describe("the section", () => {
  it("sums the findings up, and tells what it does not know", () => {
    const { text } = findingsSection({
      findings: [findingPart(0, "a"), findingPart(4, "b"), findingPart(4, "c")],
      estimate: null,
      unlisted: [],
      notes: ["n"]
    })
    assert.include(text, "3 findings in all: 1 open, 2 gone.")
    assert.include(text, "<li>n</li>")
  })

  it("tells of each finding where it stands, who reported it, and what agents answered", () => {
    const { text } = findingsSection({ findings: [findingPart(0, "a word")], estimate: null, unlisted: [], notes: [] })
    assert.include(text, `<article class="card" data-state="open" data-priority="P0">`)
    assert.include(text, "2 of 3 reviewers in low batch 1")
    assert.include(text, `<span class="mark good">round 1: fixed</span> a word`)
    assert.include(text, "low batch 1: new, 2 of 3 reviewers (slot 1, 2)")
    assert.include(text, "Also at a word")
    assert.include(text, "<p>Slot 2: a word</p>")
  })

  it("tells what a further reviewer would find, where that can be told", () => {
    const estimate = {
      at: { level: "low", batch: 3 },
      text: "7 found by 3 reviewers, about 2 more expected, 0 to 6"
    } as const
    const { text } = findingsSection({ findings: [findingPart(0, "a")], estimate, unlisted: [], notes: [] })
    assert.include(text, "by low batch 3: 7 found by 3 reviewers, about 2 more expected, 0 to 6.")
    assert.notInclude(
      findingsSection({ findings: [], estimate: null, unlisted: [], notes: [] }).text,
      "nobody has reported"
    )
  })

  it("tells a long history by its beginning and its end", () => {
    const seen = Array.from({ length: 40 }, (_, n) => sighting(n + 1))
    const { text } = findingsSection({
      findings: [findingPart(0, "a", { seen })],
      estimate: null,
      unlisted: [],
      notes: []
    })
    assert.include(text, "low batch 1: still there")
    assert.include(text, "28 batches left out here")
    assert.notInclude(text, "low batch 29:")
    assert.include(text, "low batch 30:")
    assert.include(text, "low batch 40:")
  })

  it("offers the states and priorities that there are, hidden until its script runs", () => {
    const { text } = findingsSection({
      findings: [findingPart(0, "a"), findingPart(4, "b")],
      estimate: null,
      unlisted: [],
      notes: []
    })
    assert.match(text, /<div id="filter"[^>]* hidden>/)
    const options = [...text.matchAll(/<option value="([^"]*)">/g)].map(([, value]) => value)
    assert.deepStrictEqual(options, ["", "open", "gone", "", "P0", "none"])
  })

  it("shows the texts of a few on paper, and lays out what is seen of many", () => {
    const few = findingsSection({ findings: [findingPart(0, "a")], estimate: null, unlisted: [], notes: [] }).text
    const many = findingsSection({
      findings: Array.from({ length: 301 }, () => findingPart(0, "a")),
      estimate: null,
      unlisted: [],
      notes: []
    })
      .text
    assert.include(few, `<details class="print">`)
    assert.notInclude(few, `class="many"`)
    assert.notInclude(many, `<details class="print">`)
    assert.include(many, `<div id="findings-list" class="many">`)
  })

  it("has no filter where there is nothing to filter", () => {
    const { text } = findingsSection({ findings: [], estimate: null, unlisted: [], notes: [] })
    assert.include(text, "No reviewer reported a finding.")
    assert.notInclude(text, "filter")
  })

  it("never reads as if nothing was found where a review is missing", () => {
    const notes = ["Slot 1 of the last batch has no review: NotLoggedIn"]
    const { text } = findingsSection({ findings: [], estimate: null, unlisted: [], notes })
    assert.include(text, "No reviewer has reported a finding so far.")
  })
})
