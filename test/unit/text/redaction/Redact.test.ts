// Redact: which texts hold a secret, and which only look so; both lists are data in fixtures/redaction.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { redact } from "../../../../src/text/redaction/Redaction.ts"

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
