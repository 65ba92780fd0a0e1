// The whole page: one document, well-formed, with a policy, landmarks and headings, and links that lead somewhere.
import { assert, describe, it } from "vitest"
import { page } from "../../../../../src/read/report/page/Page.ts"
import { reportOf } from "../reports.ts"
import { elementsOf } from "./tokens.ts"

const html = page(reportOf("some words"))
const elements = elementsOf(html)
const tagged = (...tags: ReadonlyArray<string>) => elements.filter(({ tag }) => tags.includes(tag))

describe("a page", () => {
  it("has one title, one h1, one main, a header, a footer, a navigation", () => {
    for (const tag of ["main", "header", "footer", "nav", "h1", "style", "script"]) {
      assert.strictEqual(tagged(tag).length, 1, tag)
    }
    assert.strictEqual(tagged("title").filter(({ inside }) => inside.includes("head")).length, 1)
  })

  it("states its policy before anything that it is about", () => {
    const [charset, csp] = tagged("meta")
    assert.strictEqual(charset?.attributes.get("charset"), "utf-8")
    assert.strictEqual(csp?.attributes.get("http-equiv"), "Content-Security-Policy")
    assert.match(csp?.attributes.get("content") ?? "", /^default-src 'none'; style-src 'sha256-/)
    assert.isBelow(html.indexOf("Content-Security-Policy"), html.indexOf("<style>"))
  })

  it("has headings that go down one by one", () => {
    const depths = tagged("h1", "h2", "h3", "h4").map(({ tag }) => Number(tag[1]))
    assert.isTrue(depths.every((depth, i) => depth <= (depths[i - 1] ?? 0) + 1), depths.join(" "))
  })

  it("has no id twice, and names only ids that are there", () => {
    const ids = elements.flatMap(({ attributes }) => attributes.get("id") ?? [])
    assert.strictEqual(new Set(ids).size, ids.length)
    const links = ["href", "aria-labelledby", "aria-describedby", "for"].flatMap((name) =>
      elements.flatMap(({ attributes }) => attributes.get(name)?.replace(/^#/, "").split(" ") ?? [])
    )
    assert.isNotEmpty(links)
    assert.isEmpty(links.filter((link) => !ids.includes(link)))
  })

  it("leads to each of its sections", () => {
    const ids = tagged("section").map(({ attributes }) => attributes.get("id") ?? "")
    assert.deepStrictEqual(ids, ["outcome", "path", "findings", "tasks", "turns", "events"])
    const links = elements.filter(({ inside, tag }) => tag === "a" && inside.includes("nav"))
    assert.deepStrictEqual(links.map(({ attributes }) => attributes.get("href")), ids.map((id) => `#${id}`))
  })

  it("leaves out what a run does not have", () => {
    const text = page(reportOf("x", { path: null, findings: null, tasks: null, turns: [] }))
    const ids = elementsOf(text).flatMap(({ attributes, tag }) => tag === "section" ? attributes.get("id") : [])
    assert.deepStrictEqual(ids, ["outcome", "events"])
  })
})
