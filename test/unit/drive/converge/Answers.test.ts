// Answers: the answer line of each finding, with any Markdown around it; nothing else is an answer.
import { assert, describe, it } from "vitest"
import { parseAnswers } from "../../../../src/drive/converge/Answers.ts"

const one = "0123456789abcdef"
const two = "fedcba9876543210"
const read = (message: string) => {
  const [answer] = parseAnswers(message, [one])
  return answer === undefined ? null : [answer.answer, answer.why]
}
const silent = ["not-done", "the agent did not say"]

describe("the answers of an agent", () => {
  it.each([
    `finding ${one}: fixed - a guard`,
    `  - finding ${one}: fixed - a guard`,
    `* **finding ${one}: fixed** - a guard`,
    `- [x] Finding ${one.toUpperCase()}: FIXED \u2013 a guard`,
    `\`finding ${one}: fixed - a guard\``,
    `**Finding <${one}>**: _fixed_ \u2014 a guard`,
    `finding ${one}: fixed -- a guard\r`,
    `finding ${one}: fixed. a guard`
  ])("are read from %j", (line) => {
    assert.deepStrictEqual(read(`role: worker\n\nWell.\n${line}\nDone.`), ["fixed", "a guard"])
  })

  it("are one of four words", () => {
    for (const word of ["fixed", "refuted", "documented", "not-done"]) {
      assert.deepStrictEqual(read(`finding ${one}: ${word} - so`), [word, "so"])
    }
    for (const word of ["not done", "not_done", "NotDone"]) {
      assert.strictEqual(read(`finding ${one}: ${word}`)?.[0], "not-done")
    }
  })

  it.each([
    "",
    `finding ${one}`,
    `finding ${one}: fixed|refuted|documented|not-done - <why>`,
    `finding ${one}: fixedly - another word`,
    `finding ${one}: not fixed - no`,
    `finding ${one}: maybe fixed - no`,
    `finding ${one.slice(1)}: fixed - too short`,
    `finding ${one}0: fixed - too long`,
    `finding ${two}: fixed - another`,
    `findings ${one}: fixed - no`,
    `I think finding ${one}: fixed - not at the beginning`,
    `| finding ${one}: fixed - quoted from a fence`,
    `> finding ${one}: fixed - quoted`
  ])("are not read from %j", (line) => assert.deepStrictEqual(read(line), silent))

  it("are one per finding, in the order of the findings; the last line counts", () => {
    const text = `finding ${two}: refuted - no\nfinding ${one}: fixed - first\nfinding ${one}: documented - second`
    assert.deepStrictEqual(parseAnswers(text, [one, two, "0".repeat(16), one]), [
      { fingerprint: one, answer: "documented", why: "second" },
      { fingerprint: two, answer: "refuted", why: "no" },
      { fingerprint: "0".repeat(16), answer: "not-done", why: "the agent did not say" },
      { fingerprint: one, answer: "documented", why: "second" }
    ])
  })

  it("keep their reason on one line of at most 400 characters", () => {
    assert.deepStrictEqual(read(`finding ${one}: fixed`), ["fixed", "the agent gave no reason"])
    assert.deepStrictEqual(read(`finding ${one}: fixed - `), ["fixed", "the agent gave no reason"])
    assert.deepStrictEqual(read(`finding ${one}: fixed (a guard)`), ["fixed", "(a guard)"])
    assert.deepStrictEqual(read(`finding ${one}: fixed - in \`f\``), ["fixed", "in `f`"])
    assert.deepStrictEqual(read(`finding ${one}: fixed - a\tb\u001b[31m`), ["fixed", "a\\tb\\u001b[31m"])
    const long = read(`finding ${one}: fixed - ${"x".repeat(5000)}`)?.[1] ?? ""
    assert.strictEqual(long, `${"x".repeat(397)}...`)
  })

  it("have shorter reasons if there are many, so that an event holds them all", () => {
    const all = Array.from({ length: 300 }, (_, i) => i.toString(16).padStart(16, "0"))
    const message = all.map((one) => `finding ${one}: fixed - ${"漢".repeat(400)}`).join("\n")
    const found = parseAnswers(message, all)
    assert.isTrue(found.every(({ answer, why }) => answer === "fixed" && why.startsWith("漢漢漢")))
    assert.isBelow(Buffer.byteLength(JSON.stringify(found)), 62_000)
  })

  it("are not found in huge texts that only look similar", () => {
    const parts = [
      "*".repeat(200_000),
      "finding ".repeat(50_000),
      "\n- ".repeat(100_000),
      `finding ${one}${" ".repeat(200_000)}:`
    ]
    for (const part of parts) assert.deepStrictEqual(read(part), silent)
  })
})
