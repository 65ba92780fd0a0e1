// Page: one well-formed document whose texts are data, with a policy, a script that loads nothing, and a test per section.
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import type { DiffPart } from "../../../../../src/read/report/ReportData.ts"
import { findingsSection } from "../../../../../src/read/report/page/Findings.ts"
import {
  block,
  colouredBlock,
  el,
  excerptBlock,
  Markup,
  short,
  words
} from "../../../../../src/read/report/page/Markup.ts"
import { eventsSection, headSection, page } from "../../../../../src/read/report/page/Page.ts"
import { pathSection } from "../../../../../src/read/report/page/Path.ts"
import { policy, script, style } from "../../../../../src/read/report/page/Style.ts"
import { turnsSection } from "../../../../../src/read/report/page/Turns.ts"
import { batchPart, findingPart, reportOf, turnPart } from "../../../../support/reports.ts"
import { elementsOf } from "../../../../support/tokens.ts"

const shown = (content: Parameters<typeof el>[2]) => el("div", {}, content).text
const hostile = `</p><script>alert(1)</script><img src=x onerror='a'>&amp;"`

describe("a text", () => {
  it("is escaped in an element and in an attribute", () => {
    const { text } = el("p", { class: hostile, id: "a" }, hostile)
    const safe = "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;amp;&quot;"
    assert.strictEqual(text, `<p class="${safe}" id="a">${safe}</p>`)
  })

  it("shows hidden characters, and stays on its line", () =>
    assert.strictEqual(el("b", {}, "a\u202eb\u0000\n").text, "<b>a\\u202eb\\u0000\\n</b>"))

  it("loses its secrets", () =>
    assert.strictEqual(el("b", {}, "password=hunter2hunter2").text, "<b>password=[redacted]</b>"))

  it("of several lines keeps them and its tabs, and loses secrets that span them", () => {
    assert.strictEqual(block("\n\ta<b>\r\nc\u2028d").text, "<pre>\n\n\ta&lt;b&gt;\nc\nd</pre>")
    const key = `-----BEGIN PRIVATE KEY-----\n${"AAAABBBBCCCC".repeat(5)}\n-----END PRIVATE KEY-----`
    assert.notInclude(block(key).text, "AAAABBBB")
    assert.notInclude(colouredBlock(key, "", () => "").text, "AAAABBBB")
  })

  it("is cut, but not in the middle of a secret", () => {
    assert.strictEqual(short("abcdefghij", 8), "abcde...")
    const secret = "password=Tr0ub4dor8kQ2vX9mZr4LpW7"
    assert.notInclude(short(secret, 24), "Tr0")
    assert.notInclude(words(secret, 24).text, "Tr0")
  })

  it("that was cut says where the rest is", () => {
    assert.include(shown(excerptBlock({ text: "a", rest: "it is in b" })), `<p class="quiet">Cut here; it is in b.</p>`)
    assert.notInclude(shown(excerptBlock({ text: "a", rest: null })), "Cut here")
    assert.strictEqual(shown(excerptBlock({ text: "", rest: null })), "<div></div>")
  })
})

describe("markup", () => {
  it("links within the page only", () =>
    assert.strictEqual(el("a", { to: "javascript:x" }, "x").text, `<a href="#javascript:x">x</a>`))

  it("gives each line of a coloured block its element", () =>
    assert.strictEqual(
      colouredBlock("+<a>\n\n", "a diff", (line) => line.startsWith("+") ? "added" : "same").text,
      `<pre class="diff" tabindex="0" aria-label="a diff"><span class="added">+&lt;a&gt;</span>` +
        `<span class="same"> </span><span class="same"> </span></pre>`
    ))

  it("of the program is taken unchanged, unless it could close itself", () => {
    assert.strictEqual(Markup.own("script", `a < b && "c"`).text, `<script>a < b && "c"</script>`)
    for (const text of ["</script>", "<!-- x", "a</style >"]) assert.throws(() => Markup.own("style", text))
  })
})

describe("a policy", () => {
  it("names the digests of style and script, and forbids everything else", () => {
    const of = (text: string) => createHash("sha256").update(text).digest("base64")
    assert.strictEqual(
      policy("a{}", "b()"),
      `default-src 'none'; style-src 'sha256-${of("a{}")}'; script-src 'sha256-${of("b()")}'; base-uri 'none'; ` +
        "form-action 'none'"
    )
  })
})

describe("the script and the style", () => {
  it("are valid: the browser suite runs the script", () => assert.doesNotThrow(() => new Function(script)))

  it("write no markup, evaluate no text, load nothing, store nothing", () => {
    assert.notMatch(
      script,
      /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function|createElement|fetch|XMLHttp|import|storage|cookie/i
    )
    assert.notMatch(style, /url\(|@import|@font-face|expression|https?:/i)
  })
})

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

  it("states its policy before its content", () => {
    const [charset, csp] = tagged("meta")
    assert.strictEqual(charset?.attributes.get("charset"), "utf-8")
    assert.strictEqual(csp?.attributes.get("http-equiv"), "Content-Security-Policy")
    assert.match(csp?.attributes.get("content") ?? "", /^default-src 'none'; style-src 'sha256-/)
    assert.isBelow(html.indexOf("Content-Security-Policy"), html.indexOf("<style>"))
  })

  it("has no duplicate id, and links only to ids that exist", () => {
    const ids = elements.flatMap(({ attributes }) => attributes.get("id") ?? [])
    assert.strictEqual(new Set(ids).size, ids.length)
    const links = ["href", "aria-labelledby", "aria-describedby", "for"].flatMap((name) =>
      elements.flatMap(({ attributes }) => attributes.get(name)?.replace(/^#/, "").split(" ") ?? [])
    )
    assert.isNotEmpty(links)
    assert.isEmpty(links.filter((link) => !ids.includes(link)))
  })

  it("leaves out the parts that a run does not have", () => {
    const text = page(reportOf("x", { path: null, findings: null, tasks: null, turns: [] }))
    const ids = elementsOf(text).flatMap(({ attributes, tag }) => tag === "section" ? attributes.get("id") : [])
    assert.deepStrictEqual(ids, ["outcome", "events"])
  })
})

describe("the section of the outcome", () => {
  it("has the proof of each level, and the findings of the audit", () => {
    const { text } = headSection(reportOf("said"))
    assert.include(text, `<th scope="row">low</th>`)
    assert.include(text, `<li><span class="mark good">said</span></li>`)
    assert.include(text, "In all: said.")
    assert.include(text, "3 findings and notes")
    assert.include(text, "2 more: ")
  })
})

const used = { input: 12_000, cached: 0, output: 800, reasoning: 0 }
const none = { input: 0, cached: 0, output: 0, reasoning: 0 }
const levels = [{ level: "low", batches: 2, reviews: 6, millis: 90_000, used }] as const

describe("the section of the path", () => {
  it("has a row per batch", () => {
    const { text } = pathSection({
      batches: [batchPart(0), batchPart(1, { reviews: 2, used: none })],
      levels,
      agents: none
    })
    assert.include(
      text,
      `<td class="number">1</td><th scope="row">low batch 1</th><td class="short">begins</td>`
    )
    assert.include(text, `<td class="number">0 of 3</td>`)
    assert.include(text, `<td class="number">1 of 2 (3 wanted)</td><td>1`)
    assert.include(
      text,
      `<td class="short">2030-01-01 00:01:00</td><td class="number">-</td><td class="number">45s</td><td class="number">-</td>`
    )
    assert.include(text, `<td>1; about 1 more, 0 to 2</td>`)
    assert.notInclude(text, "<details")
  })
})

const sighting = (batch: number) => ({ at: { level: "low", batch }, state: "still there", slots: [1], of: 3 }) as const

describe("the section of the findings", () => {
  it("has each finding with its state, who reported it, and what agents answered", () => {
    const { text } = findingsSection({ findings: [findingPart(0, "a word")], estimate: null, unlisted: [], notes: [] })
    assert.include(text, `<article class="card" data-state="open" data-priority="P0">`)
    assert.include(text, "2 of 3 reviewers in low batch 1")
    assert.include(text, `<span class="mark good">fixed in round 1</span> a word`)
    assert.include(text, "low batch 1: new, 2 of 3 reviewers (slot 1, 2)")
    assert.include(text, "Also at a word")
    assert.include(text, "<p>Slot 2: a word</p>")
  })

  it("shortens a long history to its start and its end", () => {
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

  it("does not claim that nothing was found if a review is missing", () => {
    const notes = ["Slot 1 of the last batch has no review: NotLoggedIn"]
    const { text } = findingsSection({ findings: [], estimate: null, unlisted: [], notes })
    assert.include(text, "No reviewer has reported a finding so far.")
  })
})

const withDiff = (diff: DiffPart) => {
  const turn = turnPart(1, "x")
  const work = turn.work.slice(0, 1).map((one) => ({ ...one, diff }))
  return turnsSection(reportOf("x", { turns: [{ ...turn, work }] }))?.text ?? ""
}

describe("the section of the rounds", () => {
  it("shows answers, reviews, agents and tests", () => {
    const text = turnsSection(reportOf("words"))?.text ?? ""
    assert.include(text, `<article class="card" id="round-1">`)
    assert.include(text, "What the agents answered")
    assert.include(text, "The whole review")
    assert.include(text, "Agent 1: <code>words</code>")
    assert.include(text, "2030-01-01 00:00:00 UTC, 5s")
    assert.include(text, "Its answer")
    assert.include(text, "words: no diff: words")
  })

  it("colours a diff by its lines", () => {
    const text = withDiff({ title: "t", files: ["a"], text: { text: "+++ b\n+a\n-b\n c", rest: null }, problem: null })
    const classes = [...text.matchAll(/<span class="(file|added|removed|same)">/g)].map(([, name]) => name)
    assert.deepStrictEqual(classes, ["file", "added", "removed", "same"])
    assert.include(text, "t: 1 file changed")
  })
})

it("the section of the events says how many are left out, and the command that shows them", () => {
  const { text } = eventsSection(reportOf("a word", { replay: "ooda-codex-review replay 1 --state-root /s" }))
  assert.include(text, "The run&#39;s log: 12 events")
  assert.include(text, "10 events left out here; <code>ooda-codex-review replay 1 --state-root /s</code>")
})
