// Sentences: what a reviewer wrote, without its quotations and marks, sentence by sentence.
import { assert, describe, it } from "vitest"
import {
  quoted,
  quotedPlace,
  quotedRead,
  sentences,
  unquoted
} from "../../../../../src/core/verdict/prose/Sentences.ts"

describe("unquoted", () => {
  const alone = (text: string) => unquoted(text).replace(/\s+/g, " ").trim()

  it.each([
    ["`close()` leaks", `${quoted} leaks`],
    ['The "crash on start" label', `The ${quoted} label`],
    ["See https://example.com/a-bug for it", `See ${quoted} for it`],
    ["in src/broken/leak.ts now", `in ${quoted} now`],
    ["C:\\repo\\bug.ts is read", `${quoted} is read`],
    ["src/a.ts:10 returns", `${quotedPlace} returns`],
    ["`src/a.ts:10-12` returns", `${quotedPlace} returns`],
    ["`git diff main` is empty", `${quotedRead} is empty`],
    ["`sed -n 1,9p a.ts` failed", `${quotedRead} failed`],
    ["no changes since `origin/main`", "no changes since head"],
    ["state/undo and toast", "state/undo and toast"]
  ])("%j is %j", (text, expected) => assert.strictEqual(alone(text), expected))

  it("takes a quotation that is the whole text for the reviewer speaking", () =>
    assert.strictEqual(alone('"No issues found."'), "No issues found."))

  it("does not reach over a line end for the other quote", () =>
    assert.strictEqual(unquoted("a ` lone\nquote ` here"), "a ` lone\nquote ` here"))
})

describe("sentences", () => {
  it("end at full stops, not at abbreviations, versions or file names", () => {
    assert.deepStrictEqual(sentences("It works, e.g. here. Done."), ["it works, e.g. here", "done"])
    assert.deepStrictEqual(sentences("Bumps to 1.0.203. No code."), ["bumps to 1.0.203", "no code"])
  })

  it("end at blank lines, list items, headings and fences, not at line breaks", () =>
    assert.deepStrictEqual(
      sentences("One line\ngoes on.\n\n## Heading\nText\n- first\n- second\n  on\n3) third\n```\ncode\n```\n> quoted"),
      ["one line goes on", "heading", "text", "first", "second on", "third", "code", "quoted"]
    ))

  it("end at other scripts' full stops, which no space follows", () =>
    assert.deepStrictEqual(sentences("問題なし。確認済み。"), ["問題なし。", "確認済み。"]))

  it("hold no sentence made of marks alone", () => assert.deepStrictEqual(sentences("... !!! Done."), ["done"]))
  it("leave emphasis out", () => assert.deepStrictEqual(sentences("**No** __issues__."), ["no issues"]))
})
