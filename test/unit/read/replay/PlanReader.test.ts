// How the log of a plan run is shown: each event has one line of words.
import { assert, describe, it } from "vitest"
import { planRun } from "../../../../src/drive/plan/State.ts"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { planReader } from "../../../../src/read/replay/Readers.ts"
import {
  analysed,
  closed,
  cycleStarted,
  driverStarted,
  planStarted,
  reviewed,
  taken
} from "../../drive/plan/histories.ts"
import { digest, tree } from "../../run/events.ts"

const last = <A>(all: ReadonlyArray<A>): A => all.at(-1) ?? assert.fail("nothing")

describe("the reader of a plan run", () => {
  it("reads the kind that plan runs write", () => {
    assert.strictEqual(planReader.kind, planRun)
    assert.deepStrictEqual([planReader.valueText(null), planReader.valueText("Running")], ["none", "Running"])
  })

  it("has words for every event", () => {
    const words = [
      planStarted,
      driverStarted(),
      cycleStarted(),
      taken(1, [0], ["a\nb"]),
      last(reviewed(2, 0, "NEEDS_FIXES")),
      { ...last(analysed(3)), dropped: [{ issue: "`b` is missing.", task: 1, quote: "export `b`" }] } as PlanEvent,
      { _tag: "CycleAccepted", cycle: 1, because: "OutOfScope", content: tree("t") } as const,
      { _tag: "TasksMarked", cycle: 1, tasks: [0, 2], plan: digest } as const,
      { _tag: "UnresolvedWritten", cycle: 1, plan: digest } as const,
      closed("Limit"),
      { _tag: "PlanConverged", run: "r2", outcome: "DoneFixedPoint" } as const
    ].map(planReader.describe)
    assert.strictEqual(words[0], "/work/plan.md in /work")
    assert.include(words[3], 'claims task 0; changed "a')
    assert.include(words[4], "review 0 by agent 2: NEEDS_FIXES, 1 issue,")
    assert.include(
      words[5],
      'needs fixes, 1 issue dropped, "Mend it."; "`b` is missing." belongs to task 1: "export `b`"'
    )
    assert.include(words[6], "cycle 1 (OutOfScope), ")
    assert.deepStrictEqual(words.slice(7), [
      "cycle 1: tasks 0, 2",
      "cycle 1",
      "cycle 1 (Limit)",
      'run r2: "DoneFixedPoint"'
    ])
    for (const text of words) assert.match(text, /^[^\u0000-\u001f]+$/)
  })
})
