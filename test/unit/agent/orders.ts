// orders: tasks of agents with plain defaults, and a run's driver that has ordered them.
import { Effect, Ref } from "effect"
import { type AgentTask, defaultLimits } from "../../../src/agent/Task.ts"
import type { DrivenEvent } from "../../../src/drive/State.ts"
import { convergeRun, openDriver } from "../../../src/drive/converge/State.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import type { AgentOrder } from "../../../src/agent/Order.ts"
import { runAgent } from "../../../src/agent/RunAgent.ts"
import { ScriptedAgent, World } from "../../../src/testing.ts"
import { runRef } from "../run/events.ts"

export const task = (change: Partial<AgentTask> = {}): AgentTask => ({
  role: "worker",
  taskId: "task-1",
  prompt: "Mend the bound.",
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

/** Runs an agent of the run's driver, as its log stands now. */
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

/** The same without the snapshots that stand around every agent that may write. */
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

/** The attempts that were started, by their numbers and what they were told. */
export const workers = World.use(({ agents }) =>
  Effect.map(Ref.get(agents), (all) => all.map(({ attempt, turn }) => ({ ...attempt, ...turn })))
)

/** What another process commits. */
export const committed = (...all: ReadonlyArray<DrivenEvent>) =>
  Effect.gen(function*() {
    const { head, ref } = yield* openDriver(runRef())
    yield* EventLog.use((log) => log.append(convergeRun, ref, head, all))
  })
