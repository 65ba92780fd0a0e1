// DriverMarks: a driver's mark rests on a round of its stream, with an accepted result and green tests behind it.
import { assert, describe, it } from "vitest"
import { type DriverMark, driverMarkOf, markProblem } from "../../../../src/read/audit/DriverMarks.ts"
import {
  after,
  answered,
  closed,
  concluded,
  driverStarted,
  type Facts,
  roundStarted,
  tested,
  worked
} from "../../drive/converge/streams.ts"

const mark = (change: Partial<DriverMark> = {}): DriverMark => ({
  line: 9,
  driver: "d1",
  mark: "AddressPassed",
  level: "low",
  batch: 1,
  ...change
})
const begun: Facts = [driverStarted(), roundStarted(), tested(1, 0, 0), worked(1, "round-1/address"), answered(1, 1)]
const problem = (events: Facts, change: Partial<DriverMark> = {}) => markProblem(after(...events), mark(change))

describe("a mark", () => {
  it("is a driver's where the event names one", () => {
    const at = { level: "low", batch: 1 } as const
    const failed = { _tag: "AddressFailed", ...at, details: { text: "red" } } as const
    assert.isNull(driverMarkOf(failed, 3))
    assert.deepStrictEqual(driverMarkOf({ ...failed, driver: "d1" }, 3), {
      line: 3,
      driver: "d1",
      mark: "AddressFailed",
      ...at
    })
    const clean = {
      _tag: "LevelOutcomeRecorded",
      ...at,
      outcome: { _tag: "Clean" },
      ceiling: "high",
      driver: "d1"
    } as const
    assert.strictEqual(driverMarkOf(clean, 3)?.mark, "RetroClean")
    assert.isNull(driverMarkOf({ _tag: "StepAborted", signal: "SIGTERM" }, 3))
  })
})

describe("a driver's mark", () => {
  it("rests on an accepted result and green tests", () => {
    assert.isNull(problem([...begun, tested(2, 1, 0), concluded(1, "b"), closed(1)]))
    assert.isNull(problem([...begun, tested(2, 1, 1), tested(3, 1, 0), concluded(1, "b")]))
  })

  it.each<[string, Facts, RegExp]>([
    ["no driver of that name", [driverStarted("d2"), roundStarted()], /no such driver drove the run$/],
    ["no round that concluded", [...begun, tested(2, 1, 0)], /no round of the driver concluded so$/],
    ["tests that never ran", [...begun, concluded(1, "b")], /no test ran after its last agent$/],
    ["red tests", [...begun, tested(2, 1, 1), tested(3, 1, 1), concluded(1, "b")], /its tests were not green$/],
    [
      "a result that was not accepted",
      [driverStarted(), roundStarted(), worked(1, "round-1/address", "remediate"), concluded(1, "b")],
      /no agent's result was accepted$/
    ]
  ])("does not rest on %s", (_, events, text) => assert.match(problem(events) ?? "", text))

  it("of a clean level rests on a reader, or on the record that none was needed", () => {
    const round = roundStarted({ kind: "Retrospective", findings: [] })
    const clean = { mark: "RetroClean" } as const
    const skipped = { _tag: "RetrospectiveSkipped", round: 1, because: "Never" } as const
    const done = concluded(1, "a", "RetroClean")
    assert.isNull(problem([driverStarted(), round, skipped, done], clean))
    assert.isNull(problem([driverStarted(), round, worked(1, "round-1/retrospective"), done], clean))
    assert.match(problem([driverStarted(), round, done], clean) ?? "", /no agent looked over the level$/)
  })

  it("of failed tests needs no green ones, and no mark rests on a stream that is not there", () => {
    assert.isNull(problem([...begun, concluded(1, "b", "AddressFailed")], { mark: "AddressFailed" }))
    assert.match(markProblem(null, mark()) ?? "", /^AddressPassed of low batch 1 by driver d1: no such driver/)
  })
})
