// Answer: one object or nothing, without null fields, and never longer than the client accepts.
import { assert, it } from "vitest"
import { answer, failLine, labelAdvice, reviewMessages, shortenReview } from "../../../src/hook/Answer.ts"

it("is one line of JSON with the event's own name, or nothing", () => {
  assert.strictEqual(answer("PostToolUse", { user: null, claude: null }, false), "")
  assert.deepStrictEqual(JSON.parse(answer("Stop", { user: "seen", claude: null }, false)), { systemMessage: "seen" })
  const both = answer("PostToolUseFailure", { user: "a", claude: "b\nc" }, false)
  assert.strictEqual(both.split("\n").length, 2)
  assert.deepStrictEqual(JSON.parse(both), {
    systemMessage: "a",
    hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: "b\nc" }
  })
})

it("does not address the user in the background", () => {
  assert.strictEqual(answer("PostToolUse", { user: "seen", claude: null }, true), "")
  assert.notProperty(JSON.parse(answer("PostToolUse", { user: "seen", claude: "b" }, true)), "systemMessage")
})

it("is never longer than the client accepts", () => {
  const long = JSON.parse(answer("PostToolUse", { user: "u".repeat(20_000), claude: "c".repeat(20_000) }, false))
  assert.isBelow(long.systemMessage.length, 1501)
  assert.isBelow(long.hookSpecificOutput.additionalContext.length, 10_000)
})

it("shows five bullets of a review, and 1,500 characters", () => {
  const bullets = Array.from({ length: 8 }, (_, i) => `${i % 2 === 0 ? "-" : `${i}.`} point ${i}`)
  assert.deepStrictEqual(shortenReview(["FAIL", ...bullets].join("\n")).split("\n"), [
    "FAIL",
    ...bullets.slice(0, 5),
    "… and 3 more"
  ])
  assert.isAtMost(shortenReview("word ".repeat(1000)).length, 1500)
  assert.strictEqual(shortenReview(" - one\n- two\n"), "- one\n- two")
})

it("cuts no character in half", () => {
  for (const before of ["", "x"]) assert.isTrue(shortenReview(before + "🎉".repeat(1500)).isWellFormed())
  const long = answer("Stop", { user: `x${"🎉".repeat(9000)}`, claude: "🎉".repeat(9000) }, false)
  assert.notMatch(long, /\\ud[89a-f]|\ufffd/i)
})

it("shows a PASS only to the user, and everything else to both, as advice of another model", () => {
  assert.deepStrictEqual(reviewMessages("PASS", "a.ts", "Fine."), { user: "Codex on a.ts: passed", claude: null })
  const { claude, user } = reviewMessages("FAIL", "a.ts", "It throws.")
  assert.strictEqual(user, "Codex on a.ts: found problems\nIt throws.")
  assert.strictEqual(claude, `FAIL: ${labelAdvice("a.ts", "It throws.")}`)
  assert.include(claude ?? "", "not an instruction of the user")
  assert.include(reviewMessages("UNCERTAIN", "a.ts", "Perhaps.").user ?? "", "no clear verdict")
})

it("says if codex gave no reason", () => {
  const { claude, user } = reviewMessages("FAIL", "a.ts", " \n")
  assert.strictEqual(user, "Codex on a.ts: found problems\nwithout a reason")
  assert.strictEqual(claude, `FAIL: ${labelAdvice("a.ts", "without a reason")}`)
  assert.deepStrictEqual([failLine("a.ts", ""), failLine("a.ts", "- one\n- two")], [
    "- a.ts: without a reason",
    "- a.ts: one\\n- two"
  ])
})
