// RunStatus: the status of a run, from its logs and its live processes.
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { LogDamaged, type LogReadError, LogMissing, LogRewound, LogUnavailable } from "../../../src/log/EventLog.ts"
import { statusText } from "../../../src/read/RunStatus.ts"
import type { Event } from "../../../src/run/Event.ts"
import { agentStarted } from "../drive/converge/events.ts"
import { driverStarted, roundStarted, tested } from "../drive/converge/streams.ts"
import { cycleStarted, driverStarted as planDriver } from "../drive/plan/histories.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  digest,
  failed,
  finished,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "../run/events.ts"
import { type Logs, viewOf } from "../../support/views.ts"

type Lines = ReadonlyArray<ReadonlyArray<Event>>

const status = (logs: Logs, now: Parameters<typeof viewOf>[1] = {}): string => {
  const { status } = viewOf(logs, now)
  return `${status.reason}: ${statusText(status)}`
}

const both = [batchStarted(), started(), started({ slot: 2 })]
const reached: Event = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }
const red: Event = { _tag: "AddressFailed", level: "low", batch: 1, details: { text: "no" } }

describe("a run of steps", () => {
  const cases: ReadonlyArray<readonly [string, Lines, string]> = [
    ["without a review", [], "NoReview: empty: no review yet"],
    ["whose reviewers ended", [both], "NextStep: interrupted: 2 reviews at low ended and are not recorded"],
    [
      "with a free slot",
      [[batchStarted(), started()], [finished("Clean")]],
      "NextStep: interrupted: the next step reviews at low"
    ],
    [
      "that was stopped",
      [both, [stopped(), stopped({ slot: 2 })]],
      "Stopped: interrupted: the reviews at low were stopped"
    ],
    [
      "with a failed review",
      [both, [failed(), finished("Clean", { slot: 2 }), batchFailed([1])]],
      "ReviewsFailed: needs you: 1 review at low failed: 401"
    ],
    [
      "whose reviews failed for different causes",
      [both, [
        failed(),
        failed({ slot: 2, kind: "Quota", message: "no quota." }),
        batchFailed([1, 2])
      ]],
      "ReviewsFailed: needs you: 2 reviews at low failed: 401; no quota"
    ],
    ["with issues", [reviewed("Clean", "HasIssues")], "AddressBatch: needs you: 1 of 2 reviews at low found issues"],
    ["whose tests fail", [reviewed("HasIssues"), [red]], "TestsFailedTriage: needs you: tests fail"],
    [
      "whose tests failed before it went on",
      [reviewed("HasIssues"), [red], [opened("low", 2)]],
      "NextStep: interrupted: the next step reviews at low"
    ],
    [
      "with a clean level",
      [[...reviewed("Clean"), batchCompleted(tree("t1"))]],
      "Retrospective: needs you: low is clean and waits for its retrospective"
    ],
    [
      "whose code changed",
      [[...reviewed("Clean"), batchCompleted(tree("t2"))]],
      "NextStep: interrupted: the code changed during the reviews at low"
    ],
    [
      "at its fixed point",
      [[...reviewed("Clean"), batchCompleted(tree("t1")), reached]],
      "FixedPoint: done: reviewed clean at low"
    ],
    [
      "that left it",
      [[...reviewed("Clean"), reached], [opened("low", 2)]],
      "NextStep: interrupted: the next step reviews at low"
    ]
  ]
  it.each(cases)("%s", (_, review, expected) => assert.strictEqual(status({ review }), expected))

  it("has blocking issues although an earlier batch of the level was waived", () => {
    const waived: Event = { _tag: "BatchWaived", level: "low", batch: 1, block: 1, findings: [] }
    const first = [
      created({ strict: true, frozen: true }),
      ...reviewed("HasIssues"),
      batchCompleted(tree("t1")),
      waived
    ]
    assert.match(status({ review: [first] }), /^Retrospective: /)
    const second = reviewed("HasIssues").map((event) => "batch" in event ? { ...event, batch: 2 } : event)
    assert.match(status({ review: [first, [opened("low", 2)], second] }), /^AddressBatch: /)
  })

  it("is running while one of its reviewers lives", () =>
    assert.strictEqual(status({ review: [both] }, { reviewers: 1 }), "Reviewers: running: 1 of 2 reviewers at low"))

  it("stays with its failed tests when a step was aborted", () => {
    const aborted: Event = { _tag: "StepAborted", signal: "SIGTERM" }
    assert.include(status({ review: [reviewed("HasIssues"), [red], [aborted]] }), "TestsFailedTriage")
  })
})

describe("a driven run", () => {
  const review = [reviewed("HasIssues")]
  const ended = (outcome: string): ConvergeEvent => ({ _tag: "DriverEnded", driver: "d1", outcome })
  const after = (outcome: string) => status({ review: [[]], driver: [driverStarted(), ended(outcome)] })
  const begun = { review, driver: [driverStarted(), roundStarted()] }

  it("says what its driver does while the driver runs", () => {
    const agent = agentStarted({ taskId: "round-1/address" })
    const driven = (...events: ReadonlyArray<ConvergeEvent>) =>
      status({ review, driver: [...begun.driver, ...events] }, { driven: true })
    assert.strictEqual(driven(agent), "Driver: running: codex works on 1 finding")
    assert.strictEqual(driven(tested(1, 1, 0)[0]), "Driver: running: npm test")
    assert.strictEqual(driven(), "Driver: running")
  })

  it("is interrupted if its driver died or was stopped", () => {
    assert.strictEqual(status(begun), "DriverGone: interrupted: process 7 died; the same call continues")
    assert.match(after("DoneAborted"), /^Aborted: interrupted: /)
    assert.strictEqual(
      status({ review: [both], driver: begun.driver }, { reviewers: 2 }),
      "Reviewers: running: 2 of 2 reviewers at low; process 7 died; the same call continues"
    )
  })

  it("needs the user for the reason that ended its driver", () => {
    const batches = [[batchStarted({ size: 1 })]]
    const word = (outcome: string) =>
      status({ review: batches, driver: [driverStarted(), driverStarted(), ended(outcome)] })
    assert.strictEqual(word("HandoffHuman: TestsFailedTriage"), "TestsFailedTriage: needs you: tests fail")
    assert.strictEqual(word("HandoffHuman: AgentFailed"), "AgentFailed: needs you: an agent failed")
    assert.strictEqual(word("StuckCapReached: AddressBatch:patience"), "GaveUp: needs you: gave up (patience)")
    assert.strictEqual(word("BinaryError: git: no"), "Error: needs you: git: no")
  })

  it("needs the user for failing tests, even at its fixed point", () => {
    const fixed = [[...reviewed("Clean"), batchCompleted(tree("t1")), reached]]
    const red = { ...ended("HandoffHuman: TestsFailedTriage"), why: "npm test still fails" }
    assert.strictEqual(status({ review: fixed, driver: [driverStarted()] }), "FixedPoint: done: reviewed clean at low")
    assert.strictEqual(
      status({ review: fixed, driver: [driverStarted(), driverStarted(), driverStarted(), red] }),
      "TestsFailedTriage: needs you: npm test still fails"
    )
  })

  it("follows its log if a user continued after the driver ended", () => {
    const later = Array.from({ length: 3 }, (): ReadonlyArray<Event> => [])
    assert.match(
      status({
        review: [...later, reviewed("HasIssues")],
        driver: [driverStarted(), ended("HandoffHuman: TaskBlocked")]
      }),
      /^AddressBatch: /
    )
  })
})

describe("a plan run", () => {
  const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0, 1], plan: digest } as const
  const ended = (outcome: string) => ({ _tag: "DriverEnded", driver: "d1", outcome }) as const

  it("has the status that its last driver left", () => {
    const plan = [planDriver(), cycleStarted(), marked]
    assert.match(status({ plan }), /^DriverGone: /)
    assert.strictEqual(status({ plan: [...plan, ended("DoneAccepted")] }), "Accepted: done: 2 tasks accepted")
    assert.match(status({ plan: [...plan, ended("HandoffHuman: TaskBlocked")] }), /^TaskBlocked: needs you: /)
    assert.strictEqual(status({ plan: [] }), "NoReview: empty: nothing was done yet")
  })

  it("says what its agent works on", () => {
    const plan = [planDriver(), cycleStarted(), agentStarted({ taskId: "cycle-1/implement" })]
    assert.strictEqual(status({ plan }, { driven: true }), "Driver: running: codex works on 2 tasks")
  })
})

describe("a log that cannot be read", () => {
  const refused = { _tag: "SystemRefused", code: "EACCES", call: "open", said: "not permitted" } as const
  const errors: ReadonlyArray<readonly [LogReadError, string]> = [
    [new LogMissing({ path: "x" }), "NoLog: empty: no log"],
    [
      new LogDamaged({ path: "x", kind: "bad hash", line: 3, offset: 9 }),
      "Damaged: unreadable: its log is damaged at line 3: bad hash"
    ],
    [new LogRewound({ path: "x", kind: "rolled back" }), "Rewound: unreadable: its log was rolled back"],
    [new LogUnavailable({ path: "x", reason: refused }), "Unavailable: unreadable: "]
  ]
  it.each(errors)("says why: %s", (failure, expected) => assert.include(status({ failure }), expected))
})
