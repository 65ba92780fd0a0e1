// GatherView: where a driven run stands, from its logs and from what agents and tests print.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { gatherPlanView, gatherView, unknown } from "../../../src/drive/View.ts"
import { spendingOf } from "../../../src/drive/Spending.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Progress, silent } from "../../../src/review/Progress.ts"
import { agentFinished, agentStarted, driving } from "./converge/events.ts"
import { after, cycleStarted, tasks, tested, worked } from "./plan/histories.ts"
import { digest, runRef } from "../run/events.ts"
import { onMachine, openedStrict } from "../run/opened.ts"

const round: ConvergeEvent = {
  _tag: "RoundStarted",
  round: 1,
  kind: "AddressBatch",
  level: "low",
  batch: 1,
  findings: ["a", "b"],
  content: { _tag: "Unknown", why: "x" },
  history: "h"
}
const test: ConvergeEvent = { _tag: "TestStarted", test: 1, id: "t1", round: 1, command: "npm test" }
const printed = '{"type":"item.started","item":{"id":"i","type":"command_execution","command":"ls","status":"x"}}\n'

/** What is seen ten seconds after these events were committed; the last thing was printed three seconds before. */
const seen = (events: ReadonlyArray<ConvergeEvent>) =>
  onMachine(
    Effect.gen(function*() {
      const { ref } = yield* openedStrict()
      yield* (yield* EventLog).create(convergeRun, ref, [driving])
      const now = Date.parse((yield* (yield* EventLog).read(convergeRun, ref)).commits[0]?.at ?? "") + 10_000
      const log = yield* EventLog
      const { head } = yield* log.read(convergeRun, ref)
      if (events.length > 0) yield* log.append(convergeRun, ref, head, events)
      const print = { end: printed, at: now - 3000 }
      return yield* Effect.provideService(
        gatherView(ref, yield* spendingOf(ref), unknown, now),
        Progress,
        { ...silent, printed: (work) => Effect.succeed("agent" in work ? print : { end: "3 pass\n", at: now - 9000 }) }
      )
    })
  )

it("is told by the run's level and batch, the last round, and what was used", async () => {
  const { agents: _, ...view } = { agents: 0, ...(await seen([round, agentStarted(), agentFinished()])) }
  assert.deepInclude(view, { work: [], byAgents: 312_000 })
  const last = { number: 1, open: true, findings: 2 }
  const place = { _tag: "OnLadder", floor: "low", level: "low", ceiling: null, batch: 1, round: last }
  assert.deepStrictEqual<unknown>(view.place, place)
  assert.deepInclude(view.used, { tokens: 312_000 })
})

it("is told with the agents and tests that are under way, and what they print", async () => {
  const view = await seen([round, agentStarted({ taskId: "round-1/address" }), test])
  const times = { state: "running", elapsed: 10_000 } as const
  assert.deepStrictEqual(view?.work, [
    { name: "agent 1", ...times, activity: "address: $ ls", silentFor: 3000 },
    { name: "test 1", ...times, activity: "npm test: 3 pass", silentFor: 9000 }
  ])
})

it("is told of a closed round, and of an agent that waits for its next attempt", async () => {
  const failed: ConvergeEvent = {
    _tag: "AgentAttemptFailed",
    agent: 1,
    attempt: 1,
    message: { text: "slow down" },
    threadId: null,
    usage: null,
    transcript: agentFinished().transcript,
    failure: "RateLimited",
    exit: 1,
    next: "Again",
    wait: 70_000,
    because: "it was told to"
  }
  const closed: ConvergeEvent = { _tag: "RoundClosed", round: 1, because: "Marked" }
  const view = await seen([round, closed, agentStarted({ taskId: "round-2/retrospective" }), failed])
  assert.deepStrictEqual(view?.place.round, { number: 1, open: false, findings: 2 })
  assert.deepInclude(view?.work[0], {
    state: "waiting",
    activity: "retrospective: tries again in 1m00s",
    silentFor: null
  })
})

it("is nothing where nobody drives", async () => {
  const view = await onMachine(Effect.gen(function*() {
    const { ref } = yield* openedStrict()
    return yield* gatherView(ref, yield* spendingOf(ref), unknown, 0)
  }))
  assert.isNull(view)
})

it("of a plan it is told by its cycle, and by how many tasks the run has marked", async () => {
  const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0, 1], plan: digest } as const
  const state = after(
    cycleStarted(),
    worked(1, "cycle-1/implement"),
    worked(2, "cycle-1/fix-1"),
    tested(1, 1, 0),
    marked
  )
  const seen = { head: { seq: 1, hash: "" }, walked: { state, unknown: null }, since: new Map(), testsSince: new Map() }
  const view = await onMachine(gatherPlanView(runRef(), seen, { ...unknown, pending: 3 }, 10_000))
  assert.deepStrictEqual<unknown>(view?.place, {
    _tag: "InPlan",
    plan: "plan.md",
    cycle: { number: 1, open: true, round: 1, tasks },
    done: 2,
    pending: 3
  })
  assert.deepStrictEqual([view?.used.rounds, view?.byAgents, view?.work], [1, 624_000, []])
  assert.isNull(await onMachine(gatherPlanView(runRef(), null, unknown, 0)))
})
