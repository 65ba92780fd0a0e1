// agents: tasks, failures and answers of agents with plain defaults, and a run's driver that orders them.
import { Effect, Ref } from "effect"
import * as fc from "fast-check"
import { assert } from "vitest"
import type { AgentFailure } from "../../src/agent/AgentEnding.ts"
import { askForReview, type ReviewOrder } from "../../src/agent/AskForReview.ts"
import type { AgentOrder } from "../../src/agent/Order.ts"
import type { ReviewIssue } from "../../src/agent/PlanReview.ts"
import { runAgent } from "../../src/agent/RunAgent.ts"
import { type AgentTask, defaultLimits } from "../../src/agent/Task.ts"
import { convergeRun, openDriver } from "../../src/drive/converge/State.ts"
import type { DrivenEvent } from "../../src/drive/State.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { ScriptedAgent, World } from "../../src/testing.ts"
import { runRef } from "../unit/run/events.ts"

const message = "its last message"

/** One failure of each type, as an attempt may end. */
export const failures = {
  Interrupted: { _tag: "Interrupted", message },
  Login: { _tag: "Login", message },
  Quota: { _tag: "Quota", message, until: null },
  RateLimited: { _tag: "RateLimited", message, after: null },
  ContextWindow: { _tag: "ContextWindow", message },
  Overloaded: { _tag: "Overloaded", message },
  Stream: { _tag: "Stream", message },
  SandboxDenied: { _tag: "SandboxDenied", message },
  BadArguments: { _tag: "BadArguments", message },
  Missing: { _tag: "Missing", message },
  Idle: { _tag: "Idle", message, after: 600_000 },
  Deadline: { _tag: "Deadline", message, after: 3_600_000 },
  Crashed: { _tag: "Crashed", message, exit: 1 },
  Empty: { _tag: "Empty", message, unreadable: false }
} as const satisfies Record<AgentFailure["_tag"], AgentFailure>

export const task = (change: Partial<AgentTask> = {}): AgentTask => ({
  role: "worker",
  taskId: "task-1",
  prompt: "Fix the bound.",
  cwd: "/repo",
  sandbox: "workspace-write",
  effort: null,
  model: null,
  findings: null,
  answer: null,
  limits: defaultLimits,
  ...change
})

export const order = (change: Partial<AgentOrder> = {}): AgentOrder => ({ agent: 1, task: task(), ...change })

/** The world's agents follow this script from now on. */
export const scripted = (script: ScriptedAgent.AgentScript) =>
  World.use(({ agentScript }) => Ref.set(agentScript, script))

/** Runs an agent of the run's driver, from the present state of its log. */
export const ran = (wanted: AgentOrder = order()) =>
  Effect.flatMap(openDriver(runRef()), (driver) => runAgent(driver, wanted))

/** What an agent that follows the scripts in this order comes to. */
export const ranInOrder = (
  scripts: readonly [ScriptedAgent.ScriptedAgent, ...ReadonlyArray<ScriptedAgent.ScriptedAgent>],
  wanted: AgentOrder = order()
) => Effect.andThen(scripted(ScriptedAgent.inOrder(...scripts)), ran(wanted))

/** All events of the driver's stream after its beginning, in order. */
export const allEvents = Effect.map(
  EventLog.use((log) => log.read(convergeRun, runRef())),
  ({ commits }) => commits.flatMap(({ events }) => events).slice(1)
)

/** The same without the snapshots around every agent that may write. */
export const events = Effect.map(allEvents, (all) => all.filter(({ _tag }) => _tag !== "SnapshotTaken"))

/** Their names, each with what it says of the attempt. */
export const history = Effect.map(events, (all) =>
  all.map((event) => {
    switch (event._tag) {
      case "AgentStarted":
        return `started ${event.agent}.${event.attempt} ${event.cause}${
          event.thread === null ? "" : ` of ${event.thread}`
        }`
      case "AgentAttemptFailed":
        return `${event.failure} ${event.agent}.${event.attempt}, then ${event.next} after ${event.wait}`
      case "AgentFinished":
        return `finished ${event.agent}.${event.attempt} ${event.ending}`
      case "AgentFailed":
        return `failed ${event.agent}.${event.attempt} ${event.failure}`
      case "AgentStopped":
        return `stopped ${event.agent}.${event.attempt} ${event.cause}`
      default:
        return event._tag
    }
  }))

/** The started attempts, with their numbers and prompts. */
export const workers = World.use(({ agents }) =>
  Effect.map(Ref.get(agents), (all) => all.map(({ attempt, turn }) => ({ ...attempt, ...turn })))
)

/** What another process commits. */
export const committed = (...all: ReadonlyArray<DrivenEvent>) =>
  Effect.gen(function*() {
    const { head, ref } = yield* openDriver(runRef())
    yield* EventLog.use((log) => log.append(convergeRun, ref, head, all))
  })

class Killed extends Error {}

/** Runs an effect whose process dies right before or after it changes anything for the k-th time, counted from 0. */
export const killed = <A, E, R>(at: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { witness } = yield* World
    let left = at
    yield* Ref.set(witness, () => left-- > 0 ? Effect.void : Effect.die(new Killed()))
    yield* Effect.exit(effect)
    yield* Ref.set(witness, () => Effect.void)
  })

export const issue: ReviewIssue = {
  severity: "major",
  place: "src/a.ts:3",
  description: "The bound is off by one.",
  suggestion: "Use <=."
}

export const acceptable = JSON.stringify({ issues: [], verdict: "ACCEPTABLE" })
export const needsFixes = JSON.stringify({ issues: [issue], verdict: "NEEDS_FIXES" })
/** A review whose JSON is cut off. */
export const brokenFixes = needsFixes.slice(0, -1)
export const brokenAcceptable = acceptable.slice(0, -1)

export const reviewOrder = (change: Partial<ReviewOrder> = {}): ReviewOrder => {
  const { answer: _answer, sandbox: _sandbox, ...rest } = task({
    role: "code-quality-reviewer",
    prompt: "Review the bound."
  })
  return { task: rest, ...change }
}

/** The result of a review of the run's driver, from the present state of its log. */
export const askReview = (wanted = reviewOrder()) =>
  Effect.flatMap(openDriver(runRef()), (driver) => Effect.map(askForReview(driver, wanted), ({ result }) => result))

/** Checks that a driver comes to the same after any one to three kills. `after` plays a question with these kills. */
export const sameWhereverKilled = async <A>(after: (kills: ReadonlyArray<number>) => Promise<A>): Promise<void> => {
  const whole = await after([])
  const kills = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 })
  await fc.assert(fc.asyncProperty(kills, async (at) => assert.deepStrictEqual(await after(at), whole)), {
    numRuns: 12
  })
}
