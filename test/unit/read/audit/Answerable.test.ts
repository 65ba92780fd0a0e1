// Answerable: what an audit remembers of the complete batches of a strict run.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { type DoneBatch, doneAt, remembered } from "../../../../src/read/audit/Rules.ts"
import { batchCompleted, created, given, opened, reviewed, tree } from "../../run/events.ts"

const low = { level: "low", batch: 1 } as const
const completed = batchCompleted(tree("t1"))
const answered: Event = { _tag: "LevelOutcomeRecorded", ...low, outcome: { _tag: "Clean" }, ceiling: "low" }

/** What is remembered after these events, each on its own line. */
const after = (events: ReadonlyArray<Event>, strict = true) => {
  const done = new Map<string, DoneBatch>()
  const lines: Array<ReadonlyArray<Event>> = [[created(strict ? { strict } : {})]]
  for (const event of events) {
    const one = remembered(done, given(...lines), event)
    if (one !== null) done.set(one.name, one.batch)
    lines.push([event])
  }
  return doneAt(done, low)
}

describe("a complete batch", () => {
  it("is remembered with its issues, why it was left, and whether it was answered", () => {
    const issues = [...reviewed("HasIssues", "Clean"), completed]
    assert.deepStrictEqual(after(issues), { withIssues: 1, left: null, waived: false, answered: null })
    const left = [...issues, opened("low", 2, { cause: "Stale" })]
    assert.deepStrictEqual(after(left), { withIssues: 1, left: "Stale", waived: false, answered: null })
    assert.deepStrictEqual(after([...left, answered]), {
      withIssues: 1,
      left: "Stale",
      waived: false,
      answered: "Clean"
    })
  })

  it("is not remembered before it is complete, nor of a run that is not strict", () => {
    assert.isNull(after(reviewed("Clean")))
    assert.isNull(after([...reviewed("Clean"), opened("low", 2), answered]))
    assert.isNull(after([...reviewed("Clean"), completed], false))
  })
})
