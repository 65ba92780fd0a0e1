// Redaction: which texts hold a secret and which only look so, and long texts cut at safe places.
// Both lists of texts are data in fixtures/redaction.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { cutSafely, joined, partsOf, redact } from "../../../../src/text/redaction/Redaction.ts"

const data = (name: string): string =>
  readFileSync(new URL(`../../../../fixtures/redaction/${name}.json`, import.meta.url), "utf8")

interface Secret {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly onlyAtStart?: boolean
}

const secrets: ReadonlyArray<Secret> = JSON.parse(data("secrets"))
const harmless: ReadonlyArray<string> = JSON.parse(data("harmless"))

describe("a secret", () => {
  it.each(secrets)("is taken out: $name", ({ after, before }) => {
    assert.strictEqual(redact(before), after)
    assert.strictEqual(redact(after), after)
  })

  it.each(secrets.filter(({ onlyAtStart }) => onlyAtStart !== true))(
    "is taken out within a text: $name",
    (one) =>
      assert.strictEqual(redact(`some words\n${one.before}\n\nsome words`), `some words\n${one.after}\n\nsome words`)
  )
})

describe("what is no secret", () => {
  it.each(harmless)("stays: %s", (text) => {
    assert.strictEqual(redact(text), text)
    assert.strictEqual(redact(`words\n${text}\nwords`), `words\n${text}\nwords`)
  })
})

describe("a long text", () => {
  it("keeps 40 % of the limit at each end, and says how much is left out", () => {
    const short = cutSafely("x".repeat(5000), 1000)
    assert.strictEqual(short, `${"x".repeat(400)}\n[... 4200 characters are left out here ...]\n${"x".repeat(400)}`)
  })

  it("is cut at the ends of lines where one is near", () => {
    const parts = partsOf(`${"a".repeat(39)}\n`.repeat(100), 1010)
    assert.isTrue(parts?.head.endsWith("a\n"))
    assert.strictEqual(parts?.tail.length, 400)
  })

  it("is not cut within the marker of a secret", () => {
    for (let before = 100; before < 140; before++) {
      const short = cutSafely(`${"x".repeat(before)}"token": "hunter2"${"y".repeat(5000)}`, 300)
      assert.match(short, /^x+("?t?o?k?e?n?"?:? ?"?|"token": "\[redacted\]"?y*)\n\[\.\.\. /)
    }
  })

  it("is redacted before it is cut", () => {
    const key = `ghp_${"a1".repeat(18)}`
    const short = cutSafely(`${"x".repeat(395)} ${key} ${"y".repeat(5000)}`, 1000)
    assert.notInclude(short, "ghp_")
  })

  it("has the summary of its middle between its ends", () =>
    assert.strictEqual(
      joined({ head: "a", middle: "bcd", tail: "e" }, "three letters"),
      "a\n[... in short: three letters ...]\ne"
    ))

  it("stays whole where it is short enough, and loses its secrets all the same", () => {
    assert.strictEqual(cutSafely("token: 'abc'", 400), "token: '[redacted]'")
    assert.isNull(partsOf("x".repeat(400), 400))
    assert.strictEqual(cutSafely("x".repeat(50), 10), "x".repeat(10))
    assert.strictEqual(cutSafely("x", 0), "")
  })

  it("keeps pairs of units together", () => assert.isTrue(cutSafely("😀".repeat(900), 301).isWellFormed()))
})
