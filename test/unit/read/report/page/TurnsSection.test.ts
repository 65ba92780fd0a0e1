// The sections of rounds, cycles and tasks.
import { assert, describe, it } from "vitest"
import { tasksSection, turnsSection } from "../../../../../src/read/report/page/Turns.ts"
import type { DiffPart } from "../../../../../src/read/report/ReportData.ts"
import { reportOf, turnPart } from "../reports.ts"

const withDiff = (diff: DiffPart) => {
  const turn = turnPart(1, "x")
  const work = turn.work.slice(0, 1).map((one) => ({ ...one, diff }))
  return turnsSection(reportOf("x", { turns: [{ ...turn, work }] }))?.text ?? ""
}

describe("the turns", () => {
  it("are rounds", () => {
    assert.include(turnsSection(reportOf("x"))?.text, '<h2 id="turns-title">Rounds</h2>')
    assert.isNull(turnsSection(reportOf("x", { turns: [] })))
  })

  it("show answers, reviews, agents and tests", () => {
    const text = turnsSection(reportOf("words"))?.text ?? ""
    assert.include(text, `<article class="card" id="round-1">`)
    assert.include(text, "What the agents answered")
    assert.include(text, "The whole review")
    assert.include(text, "Agent 1: <code>words</code>")
    assert.include(text, "2030-01-01 00:00:00 UTC, 5s")
    assert.include(text, "Its answer")
    assert.include(text, "words: no diff: words")
  })

  it("colour a diff by its lines", () => {
    const text = withDiff({ title: "t", files: ["a"], text: { text: "+++ b\n+a\n-b\n c", rest: null }, problem: null })
    const classes = [...text.matchAll(/<span class="(file|added|removed|same)">/g)].map(([, name]) => name)
    assert.deepStrictEqual(classes, ["file", "added", "removed", "same"])
    assert.include(text, "t: 1 file changed")
  })

  it("name the first files of very many", () => {
    const files = Array.from({ length: 43 }, (_, n) => `f${n}`)
    assert.include(withDiff({ title: "t", files, text: { text: "", rest: null }, problem: null }), "f39 and 3 more")
  })
})

describe("the tasks", () => {
  it("are a table with their states", () =>
    assert.include(tasksSection(reportOf("words"))?.text, `<td class="short">0</td><th scope="row">words</th>`))

  it("are none of a review run, and none yet", () => {
    assert.isNull(tasksSection(reportOf("x", { tasks: null })))
    assert.include(tasksSection(reportOf("x", { tasks: [] }))?.text, "No round has begun yet.")
  })
})
