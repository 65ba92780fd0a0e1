// Report: whatever reviewers, agents, tests and file names say, a page has no element and no attribute but its own.
// A strict reader takes the page apart; its structure must equal the structure of a page of harmless words.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { page } from "../src/read/report/page/Page.ts"
import { redact } from "../src/text/redaction/Redaction.ts"
import { elementsOf, formOf } from "../test/support/tokens.ts"
import { reportOf } from "../test/support/reports.ts"
import { nasty, unprintable } from "./hostile.ts"

const markup = fc.constantFrom(
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  "</style><style>*{display:none}</style>",
  "<img src=x onerror=alert(1)>",
  `" onmouseover="alert(1)`,
  "' autofocus onfocus='alert(1)",
  "<svg/onload=alert(1)>",
  "</pre></details></main>",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<?xml?>",
  "&lt;b&gt;",
  "&#x3c;b&#x3e;",
  "&",
  "javascript:alert(1)",
  `<a href="http://evil.example/">x</a>`,
  `<meta http-equiv="refresh" content="0;url=http://evil.example/">`,
  "<base href=//evil.example>",
  "<\u0000script>",
  "\u202e<b>",
  "＜script＞"
)

/** Markup between what else breaks formats. It is never empty, so that each part of the page is there. */
const hostile = fc.array(fc.oneof(markup, nasty), { minLength: 1, maxLength: 6 }).map((parts) => `x${parts.join("")}`)

const plain = page(reportOf("x"))
// Each line of a diff has an element of its own.
const withoutLines = (form: ReadonlyArray<string>) => form.filter((line) => !/^ +span class$/.test(line))
const own = withoutLines(formOf(plain))
const values = (html: string, name: string) => elementsOf(html).flatMap(({ attributes }) => attributes.get(name) ?? [])
const classes = new Set([
  ...values(plain, "class").flatMap((list) => list.split(" ")),
  "added",
  "removed",
  "file",
  "same"
])

const isOurs = (said: string): void => {
  const html = page(reportOf(said, { run: said }))
  assert.deepStrictEqual(withoutLines(formOf(html)), own)
  assert.isEmpty(values(html, "class").flatMap((list) => list.split(" ")).filter((name) => !classes.has(name)))
  assert.deepStrictEqual(values(html, "href"), values(plain, "href"))
  assert.deepStrictEqual(values(html, "id"), values(plain, "id"))
  assert.deepStrictEqual(values(html, "content"), values(plain, "content"))
  assert.notMatch(html.replace(/\t/g, ""), unprintable)
}

describe("a page", () => {
  it("keeps its form, whatever is said in it", () => fc.assert(fc.property(hostile, isOurs), { numRuns: 40 }))

  it.each([
    ["script tags", "x<script>alert(1)</script>"],
    ["event attributes", `x" onclick="alert(1)" x='`],
    ["the end of a script", "x</script><script>alert(1)</script>"],
    ["the end of a style", "x</style><script>alert(1)</script>"],
    ["a reversed text", "x\u202egnp.exe"],
    ["a null", "x\u0000"],
    ["half a character", "x\ud800"]
  ])("keeps its form with %s", (_, said) => isOurs(said))

  it("holds no secret, wherever one is said", () => {
    const secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
    assert.notStrictEqual(redact(secret), secret)
    const html = page(reportOf(`the token ${secret} is in the file`))
    assert.notInclude(html, secret)
    assert.notInclude(html, secret.slice(4, 20))
  })
})
