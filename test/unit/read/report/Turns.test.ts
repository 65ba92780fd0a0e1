// Turns: the rounds of a run and the tasks of its plan, with the work of agents and tests in each.
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { excerpt, excerptOf } from "../../../../src/read/Excerpt.ts"
import { answersByName } from "../../../../src/read/RunFindings.ts"
import { workParts, type WorkRecords, workText } from "../../../../src/read/report/ReportData.ts"
import { taskParts, turnParts } from "../../../../src/read/report/Turns.ts"
import { factsOf } from "../../../support/views.ts"
import { agentFinished, agentStarted } from "../../drive/converge/events.ts"
import { answered, closed, concluded, roundStarted, tested, worked } from "../../drive/converge/streams.ts"
import * as plans from "../../drive/plan/histories.ts"
import { digest } from "../../run/events.ts"

const bare: WorkRecords = { printed: new Map(), diffs: new Map() }
const name = "a".repeat(16)
const parts = (...driver: ReadonlyArray<ConvergeEvent>) =>
  turnParts(factsOf({ driver }), bare, new Map([[name, "Guard a null user"]]))
const planned = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) => factsOf({ plan: events.flat() })
const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest } as const

describe("a round over findings", () => {
  it("says what it answered, and its answers", () => {
    const [round] = parts(
      roundStarted(),
      ...worked(1, "round-1/address"),
      answered(1, 1, ["ci.yml"]),
      ...tested(1, 1, 0),
      concluded(1, "b"),
      closed(1)
    )
    assert.strictEqual(round?.title, "Round 1: 1 finding of low batch 1")
    assert.deepStrictEqual(round?.answers, [
      { fingerprint: name, title: "Guard a null user", answer: "fixed", why: "the bound is checked" }
    ])
    assert.deepStrictEqual(round?.facts, [
      { name: "Work", value: "1 agent, 1 test run" },
      { name: "Protected", value: "agent 1 changed ci.yml" }
    ])
    assert.deepStrictEqual(round?.verdict, { tone: "good", text: "answered, and the tests pass" })
  })

  it("follows the tests that ran outside of rounds", () => {
    const [outside, round] = parts(...tested(1, 0, 1), roundStarted())
    assert.deepStrictEqual([outside?.id, round?.id], ["round-0", "round-1"])
    assert.strictEqual(outside?.verdict.tone, "bad")
  })
})

describe("a task", () => {
  it("is done, in work, or not done, independent of later rounds", () => {
    const verdicts = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) =>
      taskParts(planned(...events).rounds).map(({ verdict }) => verdict.text)
    assert.deepStrictEqual(verdicts(plans.cycleStarted()), ["in round 1", "in round 1"])
    const first = [plans.cycleStarted(), marked, plans.closed("Limit")]
    assert.deepStrictEqual(verdicts(...first), ["done in round 1", "not done in round 1"])
    assert.deepStrictEqual(verdicts(...first, plans.cycleStarted(2)), ["done in round 1", "in round 2"])
  })
})

it("answers have the names of findings; the last answer of each round counts", () => {
  const changed: ConvergeEvent = {
    _tag: "RoundAnswered",
    round: 2,
    agent: 2,
    answers: [{ fingerprint: name, answer: "not-done", why: "?" }, { fingerprint: name, answer: "refuted", why: "no" }],
    protectedFiles: []
  }
  const { rounds } = factsOf({ driver: [roundStarted(), answered(1, 1), roundStarted({ round: 2 }), changed] })
  const answers = answersByName(rounds)
  assert.deepStrictEqual(answers.get(name)?.map(({ answer, round }) => [round, answer]), [[1, "fixed"], [2, "refuted"]])
})

const roundOf = (...events: ReadonlyArray<ConvergeEvent>) =>
  factsOf({ driver: [roundStarted(), ...events] }).rounds[0] ?? assert.fail("no round")
const verdicts = (...events: ReadonlyArray<ConvergeEvent>) =>
  workParts(roundOf(...events), bare).map(({ verdict: { text, tone } }) => `${tone}: ${text}`)

const address = "round-1/address"
const fields = {
  attempt: 1,
  message: { text: "Out." },
  threadId: null,
  usage: null,
  transcript: { algorithm: "sha256", hex: "", bytes: 0 }
} as const

describe("an agent", () => {
  it("works, waits, is stopped, fails, reports or is done", () => {
    const start = agentStarted({ taskId: address })
    assert.deepStrictEqual(verdicts(start), ["open: is at work"])
    assert.deepStrictEqual(verdicts(start, { _tag: "AgentStopped", agent: 1, attempt: 1, cause: "Stop" }), [
      "open: was stopped (Stop)"
    ])
    const failure = {
      _tag: "AgentAttemptFailed",
      agent: 1,
      ...fields,
      failure: "Quota",
      exit: 1,
      next: "Again",
      wait: 5,
      because: "it is used up"
    } as const
    assert.deepStrictEqual(verdicts(start, failure), ["open: waits for another attempt"])
    assert.deepStrictEqual(
      verdicts(start, { _tag: "AgentFailed", agent: 1, ...fields, failure: "Login", exit: 1, remedy: "Log in." }),
      ["bad: failed: Login"]
    )
    assert.deepStrictEqual(verdicts(start, agentFinished({ ending: "Reported" })), ["bad: reported that it failed"])
    assert.deepStrictEqual(verdicts(...worked(1, address)), ["good: done"])
    assert.deepStrictEqual(verdicts(...worked(1, address, "remediate")), ["bad: done, and says gaps"])
  })

  it("has its failed attempts, the remedy, and what it changed in git", () => {
    const [part] = workParts(
      roundOf(
        agentStarted({ taskId: address, model: "m", effort: "high" }),
        {
          _tag: "AgentAttemptFailed",
          agent: 1,
          ...fields,
          failure: "Quota",
          exit: 1,
          next: "Again",
          wait: 5,
          because: "it is used up"
        },
        { _tag: "AgentFailed", agent: 1, ...fields, failure: "Login", exit: 1, remedy: "Log in." },
        { _tag: "GitStateChanged", agent: 1, what: ["HEAD"] }
      ),
      bare
    )
    assert.deepStrictEqual(part?.problems, [
      "Attempt 1 failed (Quota): it is used up",
      "What can be done: Log in.",
      "It changed git's own state: HEAD"
    ])
    assert.deepStrictEqual(part?.facts.map(({ name }) => name), ["Kind", "Model", "Effort"])
    assert.deepStrictEqual(part?.said, { text: "Out.", rest: null })
  })
})

describe("the work of a turn", () => {
  it("is its own, in order, with the files beside the log", () => {
    const own = roundOf(...tested(1, 1, 1), ...worked(1, address), ...worked(2, "round-2/address"), ...tested(2, 2, 0))
    const parts = workParts(own, {
      printed: new Map([[1, { text: "1 failed", rest: null }]]),
      diffs: new Map([[1, { title: "t", files: [], text: { text: "", rest: null }, problem: null }]])
    })
    assert.deepStrictEqual(parts.map(({ name, what }) => [name, what]), [["Test 1", "npm test"], [
      "Agent 1",
      "address"
    ]])
    assert.deepStrictEqual(parts.map(({ from, to }) => [from, to]), [[2000, 3000], [4000, 5000]])
    assert.strictEqual(parts[0]?.said?.text, "1 failed")
    assert.strictEqual(parts[1]?.diff?.title, "t")
    assert.strictEqual(workText(parts), "1 agent, 1 test run")
  })

  it("has the results of tests", () => {
    const [running] = tested(3, 1, 0)
    assert.deepStrictEqual(verdicts(...tested(1, 1, 0), ...tested(2, 1, null), ...tested(3, 1, 2)), [
      "good: passed",
      "bad: failed: ran out of time",
      "bad: failed: exit 2"
    ])
    assert.deepStrictEqual(verdicts(running), ["open: runs"])
    assert.deepStrictEqual(verdicts(running, { _tag: "TestStopped", test: 3, cause: "Lost" }), ["open: stopped"])
  })
})

describe("a text of the log", () => {
  it("is cut without its secrets, and says where the rest is", () => {
    assert.deepStrictEqual(excerpt("abc", "there", 2), { text: "ab", rest: "there" })
    assert.notInclude(excerpt("password=Tr0ub4dor8kQ2vX9mZr4LpW7", "there", 14).text, "Tr0")
    const rest = { algorithm: "sha256", hex: "f".repeat(64), bytes: 9 } as const
    assert.strictEqual(
      excerptOf({ text: "a", rest }).rest,
      `the whole of it is in texts/${"f".repeat(64)}.txt in the run's directory`
    )
    assert.strictEqual(excerptOf({ text: "x".repeat(9000) }).rest, "the whole of it is in the run's log")
  })
})
