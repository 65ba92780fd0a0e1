// Sentences: what a reviewer wrote, cleaned, without its quotations, in paragraphs, sentences and clauses.
import { assert, describe, it } from "vitest"
import { paragraphs, plain, quoted, quotedRead, sentences, unquoted } from "../../../../../src/core/verdict/prose/Sentences.ts"

describe("plain", () => {
  it("takes away terminal codes and what cannot be seen", () => {
    assert.strictEqual(plain("\u001b[1;31mNo\u001b[0m is\u200bsues\u202e\u0007."), "No issues.")
    assert.strictEqual(plain("\u001b]8;;http://x\u0007link\u001b]8;;\u0007"), "link")
  })

  it("has one line end and one kind of quotes", () => {
    assert.strictEqual(plain("a\r\nb\rc\u2028d"), "a\nb\nc\nd")
    assert.strictEqual(plain("it\u2019s \u201cfine\u201d"), "it's \"fine\"")
  })

  it("leaves tabs and line ends alone", () => assert.strictEqual(plain("a\tb\n"), "a\tb\n"))
})

describe("unquoted", () => {
  const alone = (text: string) => unquoted(text).replace(/\s+/g, " ").trim()

  it.each([
    ["`close()` leaks", `${quoted} leaks`],
    ["The \"crash on start\" label", `The ${quoted} label`],
    ["See https://example.com/a-bug for it", `See ${quoted} for it`],
    ["in src/broken/leak.ts now", `in ${quoted} now`],
    ["C:\\repo\\bug.ts is read", `${quoted} is read`],
    ["`git diff main` is empty", `${quotedRead} is empty`],
    ["`sed -n 1,9p a.ts` failed", `${quotedRead} failed`],
    ["no changes since `origin/main`", "no changes since HEAD"],
    ["`HEAD` moved", "HEAD moved"]
  ])("%j is %j", (text, expected) => assert.strictEqual(alone(text), expected))

  it("takes a quotation that is the whole text for the reviewer speaking", () =>
    assert.strictEqual(alone("\"No issues found.\""), "No issues found."))

  it("does not reach over a line end for the other quote", () =>
    assert.strictEqual(unquoted("a ` lone\nquote ` here"), "a ` lone\nquote ` here"))
})

describe("paragraphs", () => {
  it("end at blank lines, list items, headings and fences, not at line breaks", () =>
    assert.deepStrictEqual(
      paragraphs("One line\ngoes on.\n\n## Heading\nText\n- first\n- second\n  on\n3) third\n```\ncode\n```\n> quoted"),
      ["One line goes on.", "Heading", "Text", "first", "second   on", "third", "code", "quoted"]
    ))

  it("are none of a text without words", () => assert.deepStrictEqual(paragraphs("\n \n"), []))
})

const clauses = (text: string): ReadonlyArray<string> =>
  sentences(text).flatMap((sentence) => sentence.clauses.map(({ lead, words }) => `${lead}|${words.join(" ")}`))

describe("sentences", () => {
  const texts = (paragraph: string) => sentences(paragraph).map(({ words }) => words.join(" "))

  it("end at full stops, not at abbreviations, versions or file names", () => {
    assert.deepStrictEqual(texts("It works, e.g. here. Done."), ["it works , e.g here", "done"])
    assert.deepStrictEqual(texts("Bumps to 1.0.203. No code."), ["bumps to 1.0.203", "no code"])
  })

  it("end at other scripts' full stops, which no space follows", () =>
    assert.deepStrictEqual(texts("問題なし。確認済み。"), ["問題なし", "確認済み"]))

  it("hold no sentence made of marks alone", () => assert.deepStrictEqual(texts("... !!! Done."), ["done"]))

  it("leave emphasis out", () => assert.deepStrictEqual(texts("**No** __issues__."), ["no issues"]))

  it("take a defect's name in a proper name for a quotation", () => {
    assert.deepStrictEqual(texts("It calls the Problem Service twice."), [`it calls the ${quoted} service twice`])
    assert.deepStrictEqual(texts("Problem in Parser."), ["problem in parser"])
  })
})

describe("clauses", () => {
  it("open at conjunctions and marks, which lead them", () => {
    assert.deepStrictEqual(clauses("It passes, but the lock stays; nobody waits."), [
      "|it passes ,", "but|the lock stays", ";|nobody waits"
    ])
    assert.deepStrictEqual(clauses("It passes - however the lock stays."), ["|it passes", "however|the lock stays"])
  })

  it("open at `and` in front of a subject alone", () => {
    assert.deepStrictEqual(clauses("The lock is taken and the row is read."), ["|the lock is taken", "and|the row is read"])
    assert.deepStrictEqual(clauses("It locks and reads."), ["|it locks and reads"])
  })

  it("go on behind what stands in parentheses", () =>
    assert.deepStrictEqual(clauses("The cache (a map) is stale."), ["(|a map", "|the cache is stale"]))

  it("go on over `in which`, `takes a while` and `has since`", () => {
    assert.deepStrictEqual(clauses("No case in which it fails."), ["|no case in which it fails"])
    assert.deepStrictEqual(clauses("It takes a while to start."), ["|it takes a while to start"])
    assert.deepStrictEqual(clauses("It has since moved."), ["|it has since moved"])
  })

  it("are read from unclosed and from deep parentheses, none of them lost", () => {
    assert.deepStrictEqual(clauses("It works (mostly"), ["(|mostly", "|it works"])
    const deep = clauses(`${Array.from({ length: 40 }, (_, i) => `(c${i}`).join(" ")}`)
    assert.sameMembers([...deep], Array.from({ length: 40 }, (_, i) => `(|c${i}`))
  })
})
