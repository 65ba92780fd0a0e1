// Tasks: the tasks of agents in a round, and the agents that work on them.
import type { AgentState } from "../agent/AgentsState.ts"
import type { ConvergeState } from "./ConvergeState.ts"

/** A task of a round: address the batch, mend red tests, look over a clean level, implement what that found. */
export type AgentTaskName =
  | { readonly _tag: "Address" }
  | { readonly _tag: "Mend"; readonly mend: number }
  | { readonly _tag: "Retro" }
  | { readonly _tag: "Patterns" }

const word = (task: AgentTaskName): string => {
  switch (task._tag) {
    case "Address":
      return "address"
    case "Mend":
      return `mend-${task.mend}`
    case "Retro":
      return "retrospective"
    case "Patterns":
      return "patterns"
  }
}

/** The name of a task in the result contract. */
export const taskIdOf = (round: number, task: AgentTaskName): string => `round-${round}/${word(task)}`

const ofRound = ({ agents: { agents } }: ConvergeState, round: number): ReadonlyArray<AgentState> =>
  agents.filter(({ started }) => started.taskId.startsWith(`round-${round}/`))

/** The last agent of a round, or of one task in it; null for none. */
export const lastOf = (state: ConvergeState, round: number, taskId: string | null = null): AgentState | null =>
  ofRound(state, round).findLast(({ started }) => taskId === null || started.taskId === taskId) ?? null

/**
 * The number up to which a task's agents gave answers that named gaps; 0 for none. Whoever asks again asks after it:
 * an earlier answer would be told again otherwise, whatever became of the agents since.
 */
export const gapsUpTo = (state: ConvergeState, round: number, taskId: string): number =>
  ofRound(state, round).findLast(({ judged, started }) => started.taskId === taskId && judged?.action === "remediate")
    ?.agent ?? 0

/** How often an agent was asked to mend red tests in a round. */
export const mends = (state: ConvergeState, round: number): number =>
  new Set(
    ofRound(state, round).map(({ started }) => started.taskId).filter((id) => id.startsWith(`round-${round}/mend-`))
  ).size
