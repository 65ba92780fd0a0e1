// State: what happened in the rounds of a run.
import { assert, describe, it } from "vitest"
import { begun, convergeRun, type ConvergeState, evolveConverge } from "../../../../src/drive/converge/State.ts"
import { ConvergeEvent, type ConvergeEventOf } from "../../../../src/drive/converge/Event.ts"
import { tree } from "../../run/events.ts"
import { driving } from "./events.ts"
import { Schema } from "effect"
import { taskEvents } from "../../../../src/agent/Event.ts"

const folded = (...events: ReadonlyArray<ConvergeEvent>): ConvergeState =>
  events.reduce((state, event, i) => evolveConverge(state, event, 1000 * (i + 1)), begun)

const driver = (name: string, pid = 7): ConvergeEvent => ({ _tag: "DriverStarted", driver: name, pid })
const round = (number: number): ConvergeEventOf<"RoundStarted"> => ({
  _tag: "RoundStarted",
  round: number,
  kind: "AddressBatch",
  level: "low",
  batch: number,
  findings: [],
  content: tree(`before ${number}`),
  history: "h"
})

describe("a driven run", () => {
  it("is empty at its start", () => {
    assert.deepStrictEqual(folded(driving), begun)
  })
})

describe("a round of a driven run", () => {
  const nothing = {
    answered: [],
    skipped: null,
    restored: null,
    commits: [],
    concluded: null,
    closed: null,
    closedBy: null
  }
  const answered: ConvergeEventOf<"RoundAnswered"> = {
    _tag: "RoundAnswered",
    round: 2,
    agent: 1,
    answers: [],
    protectedFiles: []
  }
  const commit: ConvergeEventOf<"FixesCommitted"> = {
    _tag: "FixesCommitted",
    round: 2,
    agent: 1,
    commit: null,
    output: { text: "refused" }
  }
  const concluded: ConvergeEventOf<"RoundConcluded"> = {
    _tag: "RoundConcluded",
    round: 2,
    mark: "AddressPassed",
    reason: { text: "" },
    content: tree("after 2")
  }
  const skipped: ConvergeEvent = { _tag: "RetrospectiveSkipped", round: 2, because: "NoFindings" }
  const restored: ConvergeEvent = { _tag: "WorktreeRestored", round: 2, snapshot: 3 }
  const closed: ConvergeEvent = { _tag: "RoundClosed", round: 2, because: "Marked" }

  it("is empty at its start, and holds only its own events", () => {
    const begins = folded(driver("a"), driver("b"), round(1), round(2), round(3))
    assert.deepStrictEqual(begins.rounds, [1, 2, 3].map((one) => ({ round: one, started: round(one), ...nothing })))
    const changes: ReadonlyArray<readonly [ConvergeEvent, object]> = [
      [answered, { answered: [answered] }],
      [skipped, { skipped }],
      [restored, { restored }],
      [commit, { commits: [{ ...commit, driver: "b", tests: 0 }] }],
      [concluded, { concluded }],
      [closed, { closed, closedBy: "b" }]
    ]
    for (const [event, change] of changes) {
      const { rounds } = evolveConverge(begins, event, 9000)
      assert.deepStrictEqual(rounds[1], { round: 2, started: round(2), ...nothing, ...change })
      assert.deepStrictEqual([rounds[0], rounds[2]], [begins.rounds[0], begins.rounds[2]])
    }
  })

  it("has no closing driver if no driver is known", () => {
    const [, second] = folded(round(1), round(2), closed).rounds
    assert.deepStrictEqual([second?.closed, second?.closedBy], [closed, ""])
  })

  it("keeps every answer and every commit, in order", () => {
    const later = { ...answered, agent: 2 }
    const good = { ...commit, commit: "c" }
    const [, second] = folded(round(1), round(2), answered, commit, later, good).rounds
    assert.deepStrictEqual(second?.answered, [answered, later])
    assert.deepStrictEqual(second?.commits, [{ ...commit, driver: "", tests: 0 }, { ...good, driver: "", tests: 0 }])
  })
})

const { fold } = convergeRun
const started = { _tag: "ConvergeStarted", runId: "r", nonce: "n" } as const

describe("a driver's stream", () => {
  it("begins with its run and with no agent", () => {
    assert.deepStrictEqual(fold.initial(started), begun)
    assert.isNull(fold.initial({ _tag: "ConsentGiven", consent: "unsandboxed" }))
  })

  it("takes the events of agents, with the time of the line", () => {
    const state = begun
    const line = { seq: 2, at: "2026-01-01T00:00:00.000Z" }
    const next = fold.evolve(state, { _tag: "ConsentGiven", consent: "unsandboxed" }, line)
    assert.isTrue(next.agents.consents.has("unsandboxed"))
    assert.deepStrictEqual(fold.evolve(state, started, line), state)
  })
})

describe("the events of a driver", () => {
  it("begin with the run that is driven", () => {
    assert.isTrue(Schema.is(ConvergeEvent)({ _tag: "ConvergeStarted", runId: "r", nonce: "n" }))
    assert.isFalse(Schema.is(ConvergeEvent)({ _tag: "ConvergeStarted", runId: "r" }))
  })

  it("include the events of agents, with the same names", () => {
    assert.includeMembers(Object.keys(ConvergeEvent.cases), Object.keys(taskEvents))
  })
})
