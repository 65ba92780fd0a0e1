// ListedFindings: entries of lists in the forms reviewers have, told apart from entries that say there is none.
import { assert, describe, it } from "vitest"
import type { Priority } from "../../../../../src/core/findings/Finding.ts"
import { hasItems, listedFindings, spellDenials } from "../../../../../src/core/verdict/prose/ListedFindings.ts"

const never = () => false
const listed = (text: string, clears: (entry: string) => boolean = never) => listedFindings(text, clears)
const titles = (...args: Parameters<typeof listed>) => listed(...args).map(({ title }) => title)

describe("a tagged entry", () => {
  const tagged: ReadonlyArray<readonly [text: string, title: string, priority: Priority | null]> = [
    ["- [P1] Guard against null", "Guard against null", 1],
    ["1. **[P0]** Close the handle", "Close the handle", 0],
    ["P2: Rename it", "Rename it", 2],
    ["High: injection in search", "injection in search", 1],
    ["🔴 critical — unsigned tokens", "unsigned tokens", 0],
    ["[nit] rename it", "rename it", 3],
    ["[bug] the loop never ends", "the loop never ends", null],
    ["Severity: the loop never ends", "the loop never ends", null]
  ]
  it.each(tagged)("%j", (text, title, priority) => {
    const [finding, ...others] = listed(text)
    assert.lengthOf(others, 0)
    assert.deepInclude(finding, { priority })
    assert.include(finding?.title, title)
  })

  it("opens behind the end of a sentence, too", () =>
    assert.lengthOf(listed("No more. - [P2] Reset the counter. [P3] Rename it"), 2))

  it("carries the place behind its title", () =>
    assert.deepStrictEqual(listed("- [P1] Guard — src/a.ts:3-4")[0]?.place, {
      path: "src/a.ts",
      lines: { start: 3, end: 4 }
    }))
})

describe("an entry that opens with a place", () => {
  it("is a finding by what it claims there", () => {
    assert.deepStrictEqual(listed("- src/a.ts:12: the handle is never closed"), [{
      title: "the handle is never closed",
      body: "",
      priority: null,
      place: { path: "src/a.ts", lines: { start: 12, end: 12 } }
    }])
    assert.deepStrictEqual(listed("- src/a.ts:12"), [])
    assert.deepStrictEqual(listed("- 12:30 the job starts"), [])
  })
})

describe("an entry under a heading", () => {
  it("is a finding, up to the next text in the first column", () => {
    assert.deepStrictEqual(
      titles("## Findings\n\n- `close` leaks\n- `open` blocks\n\nThe rest is fine.\n- not listed"),
      [
        "`close` leaks",
        "`open` blocks"
      ]
    )
  })

  it("is none where it clears", () =>
    assert.deepStrictEqual(titles("Issues\n- The order holds\n- `close` leaks", (entry) => entry.endsWith("holds")), [
      "`close` leaks"
    ]))

  it("stands on the heading's own line, too", () => {
    assert.deepStrictEqual(titles("Issue: `close` leaks"), ["`close` leaks"])
    assert.deepStrictEqual(titles("Issues: The order holds", () => true), [])
  })

  it("is none under another heading", () => assert.deepStrictEqual(titles("## Tests\n\n- 3 passed"), []))
})

describe("a row of a table", () => {
  const table = "| Severity | Finding |\n|---|---|\n"

  it("is a finding by a cell that grades it", () => {
    assert.deepStrictEqual(
      listed(`${table}| critical | accepts unsigned tokens |\n| P2 | waits too long |`).map((one) => [
        one.title,
        one.priority
      ]),
      [["accepts unsigned tokens", 0], ["waits too long", 2]]
    )
  })

  it("is none without a grade, without words, or where it says none", () =>
    assert.deepStrictEqual(listed(`${table}| 3 | passed |\n| high | 12 |\n| high | none |`), []))
})

describe("an entry that says none", () => {
  it.each([
    "Findings: none",
    "## Findings\n\n- None",
    "P0: 0\nP1: none\nP2: n/a",
    "High: no findings",
    "P0/P1 issues: none",
    "- [P1] has been fixed",
    "Issues: ✅",
    "[P1]"
  ])("is no finding: %j", (text) => assert.deepStrictEqual(listed(text), []))

  it("is spelt as the denial that it is", () => {
    assert.strictEqual(
      spellDenials("Text\n- Findings: none\nIssues: 0\nBugs: 2"),
      "Text\nNo issues.\nNo issues.\nBugs: 2"
    )
    assert.strictEqual(spellDenials("Tests: none"), "Tests: none")
  })
})

describe("an item of any list", () => {
  it("is seen, unless it is harmless, says none or is a heading", () => {
    assert.isTrue(hasItems("No issues.\n- `close` is called late", never))
    assert.isTrue(hasItems("No issues.\n1. `close` is called late", never))
    assert.isFalse(hasItems("No issues.\n- `close` is called late", () => true))
    assert.isFalse(hasItems("## Review\n\nNo issues.\n- None\n> quoted", never))
  })
})
