// State: the agents of a run according to its log, and the tokens that they used.
import { assert, describe, it } from "vitest"
import { type AgentsState, evolveAgents, noAgents, underWay, usageOf } from "../../../src/agent/State.ts"
import { sumOfUsage } from "../../../src/run/Usage.ts"
import type { TaskEvent, TaskEventOf } from "../../../src/agent/Event.ts"

const digest = { algorithm: "sha256", hex: "0".repeat(64), bytes: 1 } as const
const usage = (input: number) => ({ input, cached: 0, output: 2, reasoning: 1 })
const fields = { message: { text: "done" }, threadId: "t", usage: usage(10), transcript: digest }

const started = (agent: number, attempt = 1): TaskEventOf<"AgentStarted"> => ({
  _tag: "AgentStarted",
  agent,
  attempt,
  id: `id-${agent}-${attempt}`,
  cause: attempt === 1 ? "First" : "Again",
  kind: "codex",
  role: "worker",
  taskId: "task",
  sandbox: "workspace-write",
  effort: null,
  model: null,
  thread: null,
  prompt: digest
})
const failed = (agent: number, change: Partial<TaskEventOf<"AgentAttemptFailed">> = {}): TaskEvent => ({
  _tag: "AgentAttemptFailed",
  agent,
  attempt: 1,
  failure: "Stream",
  exit: 1,
  ...fields,
  next: "Continued",
  wait: 5000,
  because: "the stream was lost",
  ...change
})
const finished = (agent: number, change: Partial<TaskEventOf<"AgentFinished">> = {}): TaskEvent => ({
  _tag: "AgentFinished",
  agent,
  attempt: 1,
  ending: "Done",
  ...fields,
  ...change
})
const after = (...events: ReadonlyArray<TaskEvent>): AgentsState =>
  events.reduce((state, event) => evolveAgents(state, event, 1000), noAgents)

describe("the agents of a run", () => {
  it("run from the line that committed them", () => {
    const state = after(started(1))
    assert.deepStrictEqual(state.agents[0]?.standing, { _tag: "Running", attempt: 1, id: "id-1-1" })
    assert.lengthOf(underWay(state), 1)
  })

  it("have read what was read on their thread, also before they went on in it", () => {
    const readOf = (...events: ReadonlyArray<TaskEvent>) => after(...events).agents.at(-1)?.read
    const nothing = { read: "nothing" } as const
    const went = (agent: number, attempt: number) => ({ ...started(agent, attempt), thread: "t" })
    const tried = [started(1), failed(1, { read: "tools" })]
    assert.strictEqual(readOf(...tried, went(1, 2), finished(1, nothing)), "tools")
    assert.strictEqual(readOf(...tried, started(1, 2), finished(1, nothing)), "nothing")
    assert.strictEqual(readOf(started(1), failed(1, nothing), went(1, 2), finished(1)), "nothing")
    assert.strictEqual(readOf(started(1), failed(1, nothing), went(1, 2), finished(1, { read: "tools" })), "tools")
    const whole = [started(1), finished(1, { read: "tools" })]
    assert.strictEqual(readOf(...whole, went(2, 1), finished(2, nothing)), "tools")
    // Another agent whose thread only has the same name.
    assert.strictEqual(readOf(...whole, started(2), finished(2, nothing)), "nothing")
    assert.strictEqual(readOf(started(1), finished(1)), undefined)
  })

  it("wait after a failed attempt, with the thread that is continued", () => {
    const state = after(started(1), failed(1))
    assert.deepStrictEqual(state.agents[0]?.standing, {
      _tag: "Waiting",
      next: "Continued",
      until: 6000,
      thread: "t"
    })
    assert.lengthOf(underWay(state), 1)
    assert.lengthOf(state.agents[0]?.failures ?? [], 1)
  })

  it("continue no thread where the whole prompt is sent again", () => {
    const standing = after(started(1), failed(1, { next: "Again" })).agents[0]?.standing
    assert.deepStrictEqual(standing, { _tag: "Waiting", next: "Again", until: 6000, thread: null })
  })

  it("run again with the next attempt, and keep the failures of before", () => {
    const state = after(started(1), failed(1), started(1, 2))
    assert.deepStrictEqual(state.agents[0]?.standing, { _tag: "Running", attempt: 2, id: "id-1-2" })
    assert.lengthOf(state.agents[0]?.failures ?? [], 1)
    assert.lengthOf(state.agents, 1)
  })

  it("are over once they finished, failed or were stopped", () => {
    const failedForGood: TaskEvent = {
      _tag: "AgentFailed",
      agent: 2,
      attempt: 1,
      failure: "Login",
      exit: 1,
      ...fields,
      remedy: "codex login"
    }
    const stopped: TaskEvent = { _tag: "AgentStopped", agent: 3, attempt: 1, cause: "Stop" }
    const state = after(started(1), started(2), started(3), finished(1), failedForGood, stopped)
    assert.deepStrictEqual(state.agents.map(({ standing }) => standing._tag), ["Finished", "Failed", "Stopped"])
    assert.isEmpty(underWay(state))
  })

  it("keep how their answer was judged, what git lost, what was allowed and the snapshots", () => {
    const judged: TaskEvent = {
      _tag: "ResultJudged",
      agent: 1,
      taskId: "task",
      role: "worker",
      grammar: "v2",
      valid: true,
      status: "pass",
      action: "accept",
      problems: []
    }
    const snapshot: TaskEvent = { _tag: "SnapshotTaken", agent: 1, snapshot: 1, commit: "c", leftOut: 0 }
    const state = after(
      started(1),
      snapshot,
      judged,
      { _tag: "GitStateChanged", agent: 1, what: ["HEAD"] },
      { _tag: "ConsentGiven", consent: "unsandboxed" }
    )
    assert.deepStrictEqual(state.agents[0]?.judged, judged)
    assert.deepStrictEqual(state.agents[0]?.gitChanged, ["HEAD"])
    assert.deepStrictEqual([...state.consents], ["unsandboxed"])
    assert.deepStrictEqual(state.snapshots, [snapshot])
  })
})

describe("the tokens of a run's agents", () => {
  it("are the last of each thread, since a thread counts its resumed turns too", () => {
    const state = after(started(1), failed(1), started(1, 2), finished(1, { attempt: 2, usage: usage(15) }))
    assert.deepStrictEqual(usageOf(state), usage(15))
  })

  it("never fall, and are added over threads and over attempts without one", () => {
    const state = after(
      started(1),
      failed(1, { threadId: null }),
      started(1, 2),
      finished(1, { attempt: 2, usage: usage(3) }),
      started(2),
      finished(2, { threadId: "t", usage: usage(1) })
    )
    assert.deepStrictEqual(usageOf(state), { input: 13, cached: 0, output: 4, reasoning: 2 })
  })

  it("are nothing where none were reported", () => {
    assert.deepStrictEqual(usageOf(after(started(1), finished(1, { usage: null }))), sumOfUsage([]))
  })
})
