// State: what the agents of a run have done.
import { sumOfUsage, type Usage } from "../run/Usage.ts"
import type { AttemptCause, Consent, TaskEvent, TaskEventOf } from "./Event.ts"

// What the agents of a run have done so far, folded from their events.

/** The status of an agent. A `Waiting` agent is started again at `until`, in epoch milliseconds. */
type AgentStatus =
  | { readonly _tag: "Running"; readonly attempt: number; readonly id: string }
  | { readonly _tag: "Waiting"; readonly next: AttemptCause; readonly until: number; readonly thread: string | null }
  | { readonly _tag: "Finished"; readonly finished: TaskEventOf<"AgentFinished"> }
  | { readonly _tag: "Failed"; readonly failed: TaskEventOf<"AgentFailed"> }
  | { readonly _tag: "Stopped"; readonly cause: TaskEventOf<"AgentStopped">["cause"] }

/** One agent. `failures` are its failed attempts, oldest first; `judged` its answer against the contract. */
export interface AgentState {
  readonly agent: number
  readonly started: TaskEventOf<"AgentStarted">
  readonly standing: AgentStatus
  readonly failures: ReadonlyArray<TaskEventOf<"AgentAttemptFailed">>
  readonly judged: TaskEventOf<"ResultJudged"> | null
  readonly gitChanged: ReadonlyArray<string>
  /** The files that changed while it worked, although it may only read. */
  readonly filesChanged?: ReadonlyArray<string> | undefined
  /** What others changed in the repository while it worked. */
  readonly meanwhile?: ReadonlyArray<string>
  /** Whether anything was read on its thread, by this agent or an earlier one; absent if unknown. */
  readonly read?: "tools" | "nothing" | undefined
}

/** All agents of a run, by their numbers from 1 on without a gap. */
export interface AgentsState {
  readonly agents: ReadonlyArray<AgentState>
  /** The last usage of each thread; an attempt without a thread counts as a thread of its own. */
  readonly threads: ReadonlyMap<string, Usage>
  readonly consents: ReadonlySet<Consent>
  /** What was allowed for one content only, as `consentTo` names it. */
  readonly contents: ReadonlySet<string>
  readonly snapshots: ReadonlyArray<TaskEventOf<"SnapshotTaken">>
}

/** The round that an agent's task is of, or null. In logs of earlier versions the task's name says so alone. */
export const roundOf = (
  { inRound, taskId }: Pick<TaskEventOf<"AgentStarted">, "inRound" | "taskId">
): number | null => {
  const [, number = null] = /^(?:round|cycle)-(\d{1,15})\//.exec(taskId) ?? []
  return inRound ?? (number === null ? null : Number(number))
}

/** The name of a consent to one content. */
export const consentTo = (consent: Consent, content: string): string => `${consent} ${content}`

/** What a person allowed to compare the change with, instead of what it was when a round began. */
export const movedBases = (state: { readonly agents: AgentsState } | null): ReadonlyArray<string> =>
  [...state?.agents.contents ?? []].flatMap((one) => /^moved-base (.*)$/.exec(one)?.[1] ?? [])

/** No agent yet. */
export const noAgents: AgentsState = {
  agents: [],
  threads: new Map(),
  consents: new Set(),
  contents: new Set(),
  snapshots: []
}

const changed = (state: AgentsState, agent: number, change: (one: AgentState) => AgentState): AgentsState => ({
  ...state,
  agents: state.agents.map((one) => one.agent === agent ? change(one) : one)
})

/** The thread that an agent works in, or null if unknown. */
export const threadOf = ({ standing, started }: AgentState): string | null => {
  if (standing._tag === "Waiting") return standing.thread
  return standing._tag === "Finished" ? standing.finished.threadId : started.thread
}

const started = (state: AgentsState, event: TaskEventOf<"AgentStarted">): AgentsState => {
  const standing: AgentStatus = { _tag: "Running", attempt: event.attempt, id: event.id }
  const { thread } = event
  const read = thread === null ? undefined : state.agents.findLast((one) => threadOf(one) === thread)?.read
  return state.agents.some(({ agent }) => agent === event.agent)
    ? changed(state, event.agent, (one) => ({ ...one, started: event, standing, read }))
    : {
      ...state,
      agents: [
        ...state.agents,
        { agent: event.agent, started: event, standing, failures: [], judged: null, gitChanged: [], read }
      ]
    }
}

type EndedAttempt = TaskEventOf<"AgentFinished" | "AgentFailed" | "AgentAttemptFailed">

const ended = (state: AgentsState, event: EndedAttempt, standing: AgentStatus): AgentsState =>
  changed(spent(state, event), event.agent, (one) => ({
    ...one,
    standing,
    failures: event._tag === "AgentAttemptFailed" ? [...one.failures, event] : one.failures,
    read: one.read === "tools" ? one.read : event.read ?? one.read
  }))

// Usage is cumulative over a thread, so the last one counts, unless it is smaller.
const spent = (state: AgentsState, { agent, attempt, threadId, usage }: EndedAttempt): AgentsState => {
  if (usage === null) return state
  const key = threadId ?? `${agent}.${attempt}`
  const before = state.threads.get(key)
  const next = before === undefined ? usage : largest(before, usage)
  return { ...state, threads: new Map(state.threads).set(key, next) }
}

const largest = (a: Usage, b: Usage): Usage => ({
  input: Math.max(a.input, b.input),
  cached: Math.max(a.cached, b.cached),
  output: Math.max(a.output, b.output),
  reasoning: Math.max(a.reasoning, b.reasoning)
})

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolveAgents = (state: AgentsState, event: TaskEvent, at: number): AgentsState => {
  switch (event._tag) {
    case "AgentStarted":
      return started(state, event)
    case "AgentAttemptFailed":
      return ended(state, event, {
        _tag: "Waiting",
        next: event.next,
        until: at + event.wait,
        thread: event.next === "Continued" || event.next === "Firmer" ? event.threadId : null
      })
    case "AgentFinished":
      return ended(state, event, { _tag: "Finished", finished: event })
    case "AgentFailed":
      return ended(state, event, { _tag: "Failed", failed: event })
    case "AgentStopped":
      return changed(state, event.agent, (one) => ({ ...one, standing: { _tag: "Stopped", cause: event.cause } }))
    case "ResultJudged":
      return changed(state, event.agent, (one) => ({ ...one, judged: event }))
    case "ConsentGiven":
      return event.content === undefined
        ? { ...state, consents: new Set([...state.consents, event.consent]) }
        : { ...state, contents: new Set([...state.contents, consentTo(event.consent, event.content)]) }
    case "SnapshotTaken": {
      const { agent, meanwhile } = event
      const next = { ...state, snapshots: [...state.snapshots, event] }
      return meanwhile === undefined ? next : changed(next, agent, (one) => ({ ...one, meanwhile }))
    }
    case "EndMissed":
      return state
    case "GitStateChanged":
      return changed(state, event.agent, (one) => ({ ...one, gitChanged: event.what, filesChanged: event.files }))
  }
}

/** The tokens that all agents have used. */
export const usageOf = ({ threads }: AgentsState): Usage => sumOfUsage(threads.values())

/** The agents that still run or wait, whoever started them. */
export const underWay = ({ agents }: AgentsState): ReadonlyArray<AgentState> =>
  agents.filter(({ standing }) => standing._tag === "Running" || standing._tag === "Waiting")
