// ScriptedAgent: the behaviour of an agent in tests: what it says when, and how it ends.
import { type AgentEnding, type AgentFailure, parseFailedReport } from "../agent/AgentEnding.ts"
import type { AgentEvent } from "../agent/stream/AgentEvent.ts"
import type { AgentTask } from "../agent/Task.ts"
import type { AgentRef } from "../log/Refs.ts"
import type { Usage } from "../run/Usage.ts"
import type { AgentTurn } from "../agent/Agent.ts"

/** An event, so many milliseconds after the agent's start. */
export interface ScriptedEvent {
  readonly after: number
  readonly event: AgentEvent
}

/**
 * The behaviour of an agent. `after`: milliseconds from its start to its end; with Infinity it ends only when stopped.
 */
export interface ScriptedAgent {
  readonly events: ReadonlyArray<ScriptedEvent>
  readonly after: number
  readonly ending: AgentEnding
  /** The name of the code once the agent has begun to work on it; see `World.code`. */
  readonly edits?: string
}

/** Gives the behaviour of an agent when an attempt is started. `nth` counts all started attempts, from 0. */
export type AgentScript = (attempt: AgentRef, task: AgentTask, turn: AgentTurn, nth: number) => ScriptedAgent

/** The optional parts of an agent's behaviour. */
export interface ScriptedDetails {
  readonly after?: number
  readonly thread?: string | null
  readonly usage?: Usage | null
  readonly edits?: string
}

const begun = ({ thread = "thread-1" }: ScriptedDetails): ReadonlyArray<ScriptedEvent> => [
  ...(thread === null ? [] : [{ after: 0, event: { _tag: "ThreadStarted", threadId: thread } } as const]),
  { after: 0, event: { _tag: "TurnStarted" } }
]
const edited = ({ edits }: ScriptedDetails) => edits === undefined ? {} : { edits }

/** An agent that answers. A message that begins with `FAILED:` is its own report of a failure. */
export const answers = (message: string, telling: ScriptedDetails = {}): ScriptedAgent => {
  const { after = 0, usage = null } = telling
  const report = parseFailedReport(message)
  return {
    events: [
      ...begun(telling),
      { after, event: { _tag: "ItemCompleted", id: "item_0", item: { _tag: "Message", text: message } } },
      { after, event: { _tag: "TurnCompleted", usage } }
    ],
    after,
    ending: report === null ? { _tag: "Done", message } : { _tag: "Reported", message, report },
    ...edited(telling)
  }
}

/** An agent that fails. */
export const fails = (failure: AgentFailure, telling: ScriptedDetails = {}): ScriptedAgent => ({
  events: begun(telling),
  after: telling.after ?? 0,
  ending: failure,
  ...edited(telling)
})

/** An agent that says nothing and never ends by itself. */
export const silentAgent: ScriptedAgent = {
  events: [],
  after: Number.POSITIVE_INFINITY,
  ending: { _tag: "Empty", message: "the agent gave no answer", unreadable: false }
}

/** Agents in the order in which attempts are started; the last one serves all that follow. */
export const inOrder =
  (first: ScriptedAgent, ...rest: ReadonlyArray<ScriptedAgent>): AgentScript => (_attempt, _task, _turn, nth) =>
    [first, ...rest][nth] ?? rest.at(-1) ?? first
