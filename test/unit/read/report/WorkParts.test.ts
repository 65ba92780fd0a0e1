// The work of one turn: agents and tests in the order in which they began, and how each ended.
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { excerpt, excerptOf } from "../../../../src/read/Excerpt.ts"
import { type WorkRecords, workParts, workText } from "../../../../src/read/report/ReportData.ts"
import { agentFinished, agentStarted } from "../../drive/converge/events.ts"
import { roundStarted, tested, worked } from "../../drive/converge/streams.ts"
import { factsOf } from "../views.ts"

const bare: WorkRecords = { printed: new Map(), diffs: new Map() }
const round = (...events: ReadonlyArray<ConvergeEvent>) =>
  factsOf({ driver: [roundStarted(), ...events] }).rounds[0] ?? assert.fail("no round")
const verdicts = (...events: ReadonlyArray<ConvergeEvent>) =>
  workParts(round(...events), bare).map(({ verdict: { text, tone } }) => `${tone}: ${text}`)

const address = "round-1/address"
const told = {
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
      ...told,
      failure: "Quota",
      exit: 1,
      next: "Again",
      wait: 5,
      because: "it is used up"
    } as const
    assert.deepStrictEqual(verdicts(start, failure), ["open: waits for another attempt"])
    assert.deepStrictEqual(
      verdicts(start, { _tag: "AgentFailed", agent: 1, ...told, failure: "Login", exit: 1, remedy: "Log in." }),
      ["bad: failed: Login"]
    )
    assert.deepStrictEqual(verdicts(start, agentFinished({ ending: "Reported" })), ["bad: reported that it failed"])
    assert.deepStrictEqual(verdicts(...worked(1, address)), ["good: done"])
    assert.deepStrictEqual(verdicts(...worked(1, address, "remediate")), ["bad: done, and says gaps"])
  })

  it("tells its attempts that failed, what can be done, and what it changed of git", () => {
    const [part] = workParts(
      round(
        agentStarted({ taskId: address, model: "m", effort: "high" }),
        {
          _tag: "AgentAttemptFailed",
          agent: 1,
          ...told,
          failure: "Quota",
          exit: 1,
          next: "Again",
          wait: 5,
          because: "it is used up"
        },
        { _tag: "AgentFailed", agent: 1, ...told, failure: "Login", exit: 1, remedy: "Log in." },
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
  it("is its own, in order, with what lies beside the log", () => {
    const own = round(...tested(1, 1, 1), ...worked(1, address), ...worked(2, "round-2/address"), ...tested(2, 2, 0))
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

  it("tells how tests ended", () => {
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
