// What the sections share: marks, facts, tables, texts that are cut.
import { assert, describe, it } from "vitest"
import {
  el,
  excerptBlock,
  facts,
  folded,
  instant,
  mark,
  section,
  short,
  table,
  words
} from "../../../../../src/read/report/page/Markup.ts"

const shown = (content: Parameters<typeof el>[2]) => el("div", {}, content).text

describe("a text", () => {
  it("is cut, and no secret in two", () => {
    assert.strictEqual(short("abcdefghij", 8), "abcde...")
    const secret = "password=Tr0ub4dor8kQ2vX9mZr4LpW7"
    assert.notInclude(short(secret, 24), "Tr0")
    assert.notInclude(words(secret, 24).text, "Tr0")
  })

  it("of several lines is cut too", () => assert.strictEqual(words("a\nbcd", 3).text, "<pre>\na\nb...</pre>"))

  it("that was cut says where the rest is", () => {
    assert.include(shown(excerptBlock({ text: "a", rest: "it is in b" })), `<p class="quiet">Cut here; it is in b.</p>`)
    assert.notInclude(shown(excerptBlock({ text: "a", rest: null })), "Cut here")
    assert.strictEqual(shown(excerptBlock({ text: "", rest: null })), "<div></div>")
  })
})

describe("a part", () => {
  it("is a mark in words and in a tone", () =>
    assert.strictEqual(
      mark({ tone: "good", text: "clean" }, "large").text,
      `<span class="mark good large">clean</span>`
    ))

  it("is a list of facts, or none", () => {
    assert.isNull(facts([]))
    assert.strictEqual(facts([{ name: "a", value: "b" }])?.text, "<dl><dt>a</dt><dd>b</dd></dl>")
  })

  it("is folded away", () =>
    assert.strictEqual(
      folded("a", "b", { class: "print" }).text,
      `<details class="print"><summary>a</summary>b</details>`
    ))

  it("is a table with a caption and headings, reached by the keyboard where it scrolls", () => {
    const { text } = table("All", [{ name: "A" }, { name: "N", number: true }], [[
      { content: "x", kind: "name" },
      { content: 1, kind: "number" }
    ], [{ content: "y" }]])
    assert.include(text, `<div class="wide" tabindex="0" role="region" aria-label="All"><table><caption>All</caption>`)
    assert.include(text, `<th scope="col">A</th><th scope="col" class="number">N</th>`)
    assert.include(text, `<tr><th scope="row">x</th><td class="number">1</td></tr><tr><td>y</td></tr>`)
  })

  it("is a section under its heading", () =>
    assert.strictEqual(
      section("a", "A", "x").text,
      `<section id="a" aria-labelledby="a-title"><h2 id="a-title">A</h2>x</section>`
    ))

  it("is an instant to the second, or unknown", () => {
    assert.strictEqual(instant(Date.UTC(2030, 0, 2, 3, 4, 5, 678)), "2030-01-02 03:04:05 UTC")
    assert.deepStrictEqual([instant(null), instant(Number.NaN)], ["unknown", "unknown"])
  })
})
