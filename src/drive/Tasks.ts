// Tasks: the tasks that agents have in a round, by name, and the agents that work on them.
//
// A task is named `round-3/address` in the log of `converge` and `cycle-3/implement` in the log of a plan: its round, and
// a word for what is asked. Reviews and fixes of a plan's work have numbers, and the review before any fix has 0. In the
// logs, the fixing of failing tests is called `mend`.
import { type AgentState, roundOf } from "../agent/State.ts"
import type { DrivenState } from "./State.ts"

/** The task to fix failing tests, by how often that was asked for in the round. */
export type TestFix = `mend-${number}`

/** What the agents of `converge` are asked: address a batch, look over a clean level, implement what that found. */
export type AddressTask = "address" | "retrospective" | "patterns" | TestFix

/** What the agents of a plan are asked that may write. */
export type WorkTask = "implement" | "test" | `fix-${number}` | TestFix

/** What the agents of a plan are asked. */
export type PlanTask = WorkTask | `review-${number}` | "analysis"

type Task = AddressTask | PlanTask

/** Whether a task is to fix failing tests. */
export const isTestFix = (task: string): task is TestFix => task.startsWith("mend-")

/** The number of a task such as `fix-2`; 0 for one without. */
export const numberOf = (task: string): number => Number(/-(\d+)$/.exec(task)?.[1] ?? 0)

/** The name of a task of `converge` in the result contract. */
export const addressTaskId = (round: number, task: AddressTask): string => `round-${round}/${task}`

/** The name of a task of a plan in the result contract. */
export const planTaskId = (round: number, task: PlanTask): string => `cycle-${round}/${task}`

/** The word of a task, by its name. */
export const wordOf = (taskId: string): string => taskId.slice(taskId.indexOf("/") + 1)

const inRound = ({ agents: { agents } }: DrivenState, round: number): ReadonlyArray<AgentState> =>
  agents.filter(({ started }) => roundOf(started) === round)

/** The last agent of a round, or of one task in it; null for none. */
export const lastAgent = (state: DrivenState, round: number, task: Task | null = null): AgentState | null =>
  inRound(state, round).findLast(({ started }) => task === null || wordOf(started.taskId) === task) ?? null

/**
 * The round whose agents or tests may be at work: from its first agent until its mark, unless its end asked a person; 0
 * for a test outside of rounds, null for none.
 */
export const workedRound = (state: DrivenState): number | null => {
  const last = state.rounds.at(-1)
  const isOpen = last !== undefined && last.closed === null && lastAgent(state, last.round) !== null
  if (isOpen && state.asked === null) return last.round
  return state.tests.some(({ standing }) => standing._tag === "Running") ? 0 : null
}

/** The last agent of a round that may write; null for none. */
export const lastWorker = (state: DrivenState, round: number): AgentState | null =>
  inRound(state, round).findLast(({ started }) => started.role === "worker") ?? null

/**
 * The number up to which a task's agents gave answers that named gaps; 0 for none. The next agent is asked after it:
 * else an earlier answer would count again, whatever became of the agents since.
 */
export const gapsUpTo = (state: DrivenState, round: number, task: Task): number =>
  inRound(state, round).findLast(({ judged, started }) =>
    wordOf(started.taskId) === task && judged?.action === "remediate"
  )?.agent ?? 0

const countOf = (state: DrivenState, round: number, word: "fix" | "mend", after: number): number =>
  new Set(
    inRound(state, round).filter(({ agent }) => agent > after).map(({ started }) => wordOf(started.taskId))
      .filter((task) => task.startsWith(`${word}-`))
  ).size

/** How many tasks there were in a round to fix failing tests, begun after the agent number `after`. */
export const testFixes = (state: DrivenState, round: number, after = 0): number => countOf(state, round, "mend", after)

/** How many fixes of reviewed work were begun in a round. */
export const fixesOf = (state: DrivenState, round: number): number => countOf(state, round, "fix", 0)
