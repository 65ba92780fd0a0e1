// PromptBudget: a prompt that fits the model's window drops its oldest items first, and says how many tokens are used.
import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { compactPrompt, mostBytes, tokensOf, withBudget } from "../../../src/agent/PromptBudget.ts"

const used = { input: 1200, cached: 1100, output: 34, reasoning: 30 }

it("cached and reasoning tokens are parts of the others", () => assert.strictEqual(tokensOf(used), 1234))

it("a prompt with a budget ends with what is used of it", () =>
  assert.strictEqual(withBudget("Fix it.\n", used, 5000), "Fix it.\n\nToken usage: 1234/5000\n"))

it("a prompt without a budget is the prompt", () =>
  assert.strictEqual(withBudget("Fix it.\n", used, null), "Fix it.\n"))

const items = Array.from({ length: 10 }, (_, i) => `${i + 1}: ${"x".repeat(396)}`)
const prompt = { before: "Fix it.", items, after: "Answer." }
// One token for each four bytes, as codex itself counts.
const tokensIn = (text: string) => Math.ceil(new TextEncoder().encode(text).length / 4)
const kept = (text: string) => items.filter((item) => text.includes(item)).length

describe("a prompt with a digest", () => {
  it("is whole where it fits, and where the window is unknown", () => {
    for (const window of [null, 10_000]) {
      assert.strictEqual(compactPrompt(prompt, window), ["Fix it.", ...items, "Answer."].join("\n\n"))
    }
  })

  it("fits 80 % of the window without its oldest items, and says how many went", () => {
    const text = compactPrompt(prompt, 1000)
    assert.isAtMost(tokensIn(text), 800)
    assert.strictEqual(kept(text), 7)
    assert.notInclude(text, items[2] ?? "3:")
    assert.include(text, "Fix it.\n\n(3 older items left out,")
    assert.include(text, items[9] ?? "no item")
  })

  it("stays below what codex takes in a turn, whatever the window", () => {
    const large = { ...prompt, items: Array.from({ length: 30 }, () => "x".repeat(100_000)) }
    for (const window of [null, 10_000_000]) assert.isAtMost(compactPrompt(large, window).length, mostBytes)
  })

  it("keeps its own words where no item fits", () => {
    const text = compactPrompt(prompt, 1)
    assert.strictEqual(kept(text), 0)
    assert.match(text, /^Fix it\.\n\n\(10 older items left out, .*\)\n\nAnswer\.$/)
  })

  it("that the model refused is halved, whatever the window", () => {
    for (const window of [null, 1_000_000]) assert.strictEqual(kept(compactPrompt(prompt, window, true)), 4)
  })

  it("never drops more than it must", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 200 })
    fc.assert(fc.property(fc.array(text, { maxLength: 20 }), fc.nat({ max: 2_000 }), (all, window) => {
      const one = { before: "Before.", items: all, after: "After." }
      const dropped = Number(/^Before\.\n\n\((\d+) older items? left out/.exec(compactPrompt(one, window))?.[1] ?? 0)
      const fits = (count: number) => {
        const notice = `(${count} older item${
          count === 1 ? "" : "s"
        } left out, so that this prompt fits the model's context)`
        const lines = ["Before.", ...(count === 0 ? [] : [notice]), ...all.slice(count), "After."]
        return new TextEncoder().encode(lines.join("\n\n")).length / 4 <= 0.8 * window
      }
      if (dropped < all.length) assert.isTrue(fits(dropped))
      for (let less = 0; less < dropped; less++) assert.isFalse(fits(less))
    }))
  })
})
