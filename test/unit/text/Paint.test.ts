// Paint: lines are broken between words, commands never, and what matters is coloured.
import { assert, it } from "vitest"
import { broken, laidOut } from "../../../src/text/Paint.ts"
import { width } from "../../../src/text/Width.ts"

const finding = "           P1  src/peak.ts:4  Stop the loop before the last element"

it("a line that is too wide goes on below the column of its words", () => {
  assert.deepStrictEqual(broken(finding, 50), [
    "           P1  src/peak.ts:4  Stop the loop",
    "               before the last element"
  ])
  for (const columns of [40, 41, 52, 60]) {
    for (const row of broken(finding, columns)) assert.isBelow(width(row), columns)
    assert.strictEqual(broken(finding, columns).join(" ").replaceAll(/\s+/g, " "), finding.replaceAll(/\s+/g, " "))
  }
})

it("a word, a command, and a line for nobody's terminal are whole", () => {
  const command = "take it back:  ooda-codex-review undo --run 20261127T085922Z-241071922-p3217"
  for (const line of [command, "x".repeat(90)]) assert.deepStrictEqual(broken(line, 40), [line])
  assert.deepStrictEqual(broken(finding, null), [finding])
})

it("results and priorities have colours where there are some", () => {
  const page = { columns: 80, colour: true }
  assert.strictEqual(laidOut("low  clean\n", "good", page), "low  \u001b[32mclean\u001b[0m\n")
  assert.strictEqual(laidOut("low  2 findings", "bad", page), "low  \u001b[33m2 findings\u001b[0m\n")
  assert.strictEqual(laidOut("low\n  P2  a.ts  clean", "good", page), "low\n  \u001b[33mP2\u001b[0m  a.ts  clean\n")
  assert.strictEqual(laidOut("low  clean", "good", { ...page, colour: false }), "low  clean\n")
})
