// Paint: lines are broken between words, commands never, what matters is coloured, and no cell can break a table.
import { assert, describe, it } from "vitest"
import { broken, laidOut, table } from "../../../src/text/Paint.ts"
import { width } from "../../../src/text/Width.ts"

const finding = "           P1  src/peak.ts:4  Stop the loop before the last element"

it("a line that is too wide continues below the column of its words", () => {
  assert.deepStrictEqual(broken(finding, 50), [
    "           P1  src/peak.ts:4  Stop the loop",
    "               before the last element"
  ])
  for (const columns of [40, 41, 52, 60]) {
    for (const row of broken(finding, columns)) assert.isBelow(width(row), columns)
    assert.strictEqual(broken(finding, columns).join(" ").replaceAll(/\s+/g, " "), finding.replaceAll(/\s+/g, " "))
  }
})

it("a word, a command, and a line for no one's terminal are whole", () => {
  const command = "take it back:  ooda-codex-review undo --run 20261127T085922Z-241071922-p3217"
  for (const line of [command, "x".repeat(90)]) assert.deepStrictEqual(broken(line, 40), [line])
  assert.deepStrictEqual(broken(finding, null), [finding])
})

it("a path with no room on any row stays beside its name, so that the terminal wraps it and it is copied whole", () => {
  const path = `/state/${"run/".repeat(20)}1.out`
  assert.deepStrictEqual(broken(`  log: ${path} of npm test`, 40), [`  log: ${path}`, "  of npm test"])
})

it("results and priorities have colours where there are some", () => {
  const page = { columns: 80, colour: true }
  assert.strictEqual(laidOut("low  clean\n", "good", page), "low  \u001b[32mclean\u001b[0m\n")
  assert.strictEqual(laidOut("low  2 findings", "bad", page), "low  \u001b[38;5;130m2 findings\u001b[0m\n")
  assert.strictEqual(
    laidOut("low\n  P2  a.ts  clean", "good", page),
    "low\n  \u001b[38;5;130mP2\u001b[0m  a.ts  clean\n"
  )
  assert.strictEqual(laidOut("low  clean", "good", { ...page, colour: false }), "low  clean\n")
  assert.strictEqual(laidOut("\ndone: it", "good", page), "\n\u001b[32mdone\u001b[0m: it\n")
  assert.strictEqual(
    laidOut("npm test failed (exit 1)", "bad", page),
    "npm test \u001b[38;5;130mfailed\u001b[0m (exit 1)\n"
  )
})

describe("a table", () => {
  const rows = [["RUN", "LEVELS", "STATE"], ["a1", "low..high", "needs you: npm test still fails"], [
    "b",
    "low",
    "done"
  ]]

  it("is as wide as its widest cells, with nothing at the end of a line", () =>
    assert.strictEqual(
      table([["A", "LONG", "Z"], ["aaa", "b", ""], ["a", "b", "zz"]]),
      "A    LONG  Z\naaa  b\na    b     zz\n"
    ))

  it("holds one line a row, with hidden characters written out; a wide one takes its two columns", () => {
    assert.strictEqual(table([["a\nb", "\u{e0041}"], ["c", "d"]]), "a\\nb  \\u{e0041}\nc     d\n")
    assert.strictEqual(table([["長", "x"], ["abc", "y"]]), "長   x\nabc  y\n")
  })

  it("of no rows is nothing", () => assert.strictEqual(table([]), ""))

  it("breaks its last column between words, and has those below for which a page has no room", () => {
    const linesAt = (columns: number) => table(rows, { columns, colour: false }).trimEnd().split("\n")
    assert.deepStrictEqual(linesAt(32), [
      "RUN  LEVELS     STATE",
      "a1   low..high  needs you: npm",
      "          test still fails",
      "b    low        done"
    ])
    assert.deepStrictEqual(linesAt(27), [
      "RUN  LEVELS",
      "    STATE",
      "a1   low..high",
      "    needs you: npm test",
      "    still fails",
      "b    low",
      "    done"
    ])
  })

  it("shows a state or a priority in its colour, and no heading", () =>
    assert.strictEqual(
      table([["PRIO", "STATE"], ["P1", "needs you: x"], ["P3", "done"]], { columns: 80, colour: true }),
      "PRIO  STATE\n\u001b[31mP1\u001b[0m    \u001b[38;5;130mneeds you\u001b[0m: x\n" +
        "\u001b[2mP3\u001b[0m    \u001b[32mdone\u001b[0m\n"
    ))
})
