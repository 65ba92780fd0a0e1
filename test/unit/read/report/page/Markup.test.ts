// The builder: text is data wherever it stands, and nothing but what is built is markup.
import { assert, describe, it } from "vitest"
import { block, colouredBlock, documentOf, el, Markup } from "../../../../../src/read/report/page/Markup.ts"

const hostile = `</p><script>alert(1)</script><img src=x onerror='a'>&amp;"`

describe("a text", () => {
  it("is escaped in an element and in an attribute", () => {
    const { text } = el("p", { class: hostile, id: "a" }, hostile)
    const safe = "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;amp;&quot;"
    assert.strictEqual(text, `<p class="${safe}" id="a">${safe}</p>`)
  })

  it("shows what would be hidden in it, and stays on its line", () =>
    assert.strictEqual(el("b", {}, "a\u202eb\u0000\n").text, "<b>a\\u202eb\\u0000\\n</b>"))

  it("loses its secrets", () =>
    assert.strictEqual(el("b", {}, "password=hunter2hunter2").text, "<b>password=[redacted]</b>"))

  it("of several lines keeps them and its tabs, and loses secrets that span them", () => {
    assert.strictEqual(block("\n\ta<b>\r\nc\u2028d").text, "<pre>\n\n\ta&lt;b&gt;\nc\nd</pre>")
    const key = `-----BEGIN PRIVATE KEY-----\n${"AAAABBBBCCCC".repeat(5)}\n-----END PRIVATE KEY-----`
    assert.notInclude(block(key).text, "AAAABBBB")
    assert.notInclude(colouredBlock(key, "", () => "").text, "AAAABBBB")
  })
})

describe("markup", () => {
  it("holds markup, numbers, lists, and nothing of null", () =>
    assert.strictEqual(
      el("p", {}, ["a", [el("b", {}, 1)], null], Markup.empty("input", { type: "search", hidden: true, open: false }))
        .text,
      `<p>a<b>1</b><input type="search" hidden></p>`
    ))

  it("links within the page alone", () =>
    assert.strictEqual(el("a", { to: "javascript:x" }, "x").text, `<a href="#javascript:x">x</a>`))

  it("gives each line of a coloured block its element", () =>
    assert.strictEqual(
      colouredBlock("+<a>\n\n", "a diff", (line) => line.startsWith("+") ? "added" : "same").text,
      `<pre class="diff" tabindex="0" aria-label="a diff"><span class="added">+&lt;a&gt;</span>` +
        `<span class="same"> </span><span class="same"> </span></pre>`
    ))

  it("of our own is taken as it is, unless it could end itself", () => {
    assert.strictEqual(Markup.own("script", `a < b && "c"`).text, `<script>a < b && "c"</script>`)
    for (const text of ["</script>", "<!-- x", "a</style >"]) assert.throws(() => Markup.own("style", text))
  })

  it("becomes a document", () =>
    assert.strictEqual(
      documentOf([el("title", {}, "t")], [el("p", {}, "x")]),
      `<!doctype html>\n<html lang="en"><head><title>t</title></head><body><p>x</p></body></html>\n`
    ))
})
