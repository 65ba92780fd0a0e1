import { assert, it } from "vitest"
import { tokensOf, withBudget } from "../../../src/agent/PromptBudget.ts"

const used = { input: 1200, cached: 1100, output: 34, reasoning: 30 }

it("cached and reasoning tokens are parts of the others", () => assert.strictEqual(tokensOf(used), 1234))

it("a prompt with a budget ends with what is used of it", () =>
  assert.strictEqual(withBudget("Mend it.\n", used, 5000), "Mend it.\n\nToken usage: 1234/5000\n"))

it("a prompt without a budget is the prompt", () =>
  assert.strictEqual(withBudget("Mend it.\n", used, null), "Mend it.\n"))
