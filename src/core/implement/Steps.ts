// Steps: the tasks of agents in a cycle, and the agents that work on them.
import type { AgentState } from "../agent/AgentsState.ts"
import type { DrivenState } from "../driven/DrivenState.ts"

/** A step that may write: implement the tasks, test them, fix what a review found, mend red tests. */
export type WorkStep =
  | { readonly _tag: "Implement" }
  | { readonly _tag: "Test" }
  | { readonly _tag: "Fix"; readonly round: number }
  | { readonly _tag: "Mend"; readonly mend: number }

/** A step of a cycle. Round 0 is the review before any fix. */
export type Step =
  | WorkStep
  | { readonly _tag: "Review"; readonly round: number }
  | { readonly _tag: "Analyse" }

/** The word of a step, for people and in the names of tasks. */
export const wordOf = (step: Step): string => {
  switch (step._tag) {
    case "Implement":
      return "implement"
    case "Test":
      return "test"
    case "Fix":
      return `fix-${step.round}`
    case "Mend":
      return `mend-${step.mend}`
    case "Review":
      return `review-${step.round}`
    case "Analyse":
      return "analysis"
  }
}

/** The name of a step's task in the result contract. */
export const stepIdOf = (cycle: number, step: Step): string => `cycle-${cycle}/${wordOf(step)}`

const ofCycle = ({ agents: { agents } }: DrivenState, cycle: number): ReadonlyArray<AgentState> =>
  agents.filter(({ started }) => started.taskId.startsWith(`cycle-${cycle}/`))

/** The last agent of a cycle that may write; null for none. */
export const lastWorker = (state: DrivenState, cycle: number): AgentState | null =>
  ofCycle(state, cycle).findLast(({ started }) => started.role === "worker") ?? null

/** The last agent of one step; null for none. */
export const lastOfStep = (state: DrivenState, cycle: number, step: Step): AgentState | null =>
  ofCycle(state, cycle).findLast(({ started }) => started.taskId === stepIdOf(cycle, step)) ?? null

/** How often an agent was asked to mend red tests in a cycle since the agent number `after`. */
export const mendsSince = (state: DrivenState, cycle: number, after: number): number =>
  new Set(
    ofCycle(state, cycle).filter(({ agent, started }) =>
      agent > after && started.taskId.startsWith(`cycle-${cycle}/mend-`)
    ).map(({ started }) => started.taskId)
  ).size

/** How many fixes were begun in a cycle. */
export const fixesOf = (state: DrivenState, cycle: number): number =>
  new Set(
    ofCycle(state, cycle).flatMap(({ started: { taskId } }) => taskId.startsWith(`cycle-${cycle}/fix-`) ? [taskId] : [])
  ).size

/** How many different tasks of mending there were in a cycle. */
export const mendsOf = (state: DrivenState, cycle: number): number => mendsSince(state, cycle, 0)
