// histories: plan runs as lists of events, and the state that they fold to.
import type { View } from "../../../../src/drive/plan/Decide.ts"
import type { PlanEvent, PlanEventOf } from "../../../../src/drive/plan/Event.ts"
import { begun, evolvePlan, type PlanState } from "../../../../src/drive/plan/State.ts"
import type { DecideSettings } from "../../../../src/drive/plan/Settings.ts"
import { agentFinished, agentStarted } from "../converge/events.ts"
import { content, tested } from "../converge/streams.ts"
import { digest } from "../../run/events.ts"

export { content, tested }

export const planStarted: PlanEventOf<"PlanStarted"> = {
  _tag: "PlanStarted",
  runId: "r",
  nonce: "1".repeat(32),
  plan: "/work/plan.md",
  worktree: "/work"
}

export const driverStarted = (driver = "d1"): PlanEvent => ({ _tag: "DriverStarted", driver, pid: 7 })

export const tasks = [{ index: 0, title: "One" }, { index: 1, title: "Two" }]

export const cycleStarted = (cycle = 1): PlanEventOf<"CycleStarted"> => ({
  _tag: "CycleStarted",
  cycle,
  plan: digest,
  tasks,
  content: content("a")
})

/** A test of cycle 1 that passed on the content of a letter. */
export const green = (test: number, letter: string): ReadonlyArray<PlanEvent> =>
  tested(test, 1, 0).map((event) => event._tag === "TestFinished" ? { ...event, content: content(letter) } : event)

type Action = "accept" | "remediate" | "block"
const statuses = { accept: "pass", remediate: "gaps", block: "error" } as const

/** An agent that ended, and the verdict on its answer. */
export const worked = (
  agent: number,
  taskId: string,
  action: Action = "accept",
  role: "worker" | "spec-reviewer" = "worker"
): ReadonlyArray<PlanEvent> => [
  agentStarted({ agent, taskId, role }),
  agentFinished({ agent, threadId: `t${agent}` }),
  {
    _tag: "ResultJudged",
    agent,
    taskId,
    role,
    grammar: "v2",
    valid: true,
    status: statuses[action],
    action,
    problems: []
  }
]

export const taken = (
  agent: number,
  claims: ReadonlyArray<number> = [],
  protectedFiles: ReadonlyArray<string> = []
): PlanEventOf<"WorkTaken"> => ({
  _tag: "WorkTaken",
  cycle: 1,
  agent,
  tasks: claims,
  problems: claims.length > 0 ? [] : ["no task is named"],
  protectedFiles
})

export const reviewed = (
  agent: number,
  round: number,
  verdict: "ACCEPTABLE" | "NEEDS_FIXES",
  letter = "b"
): ReadonlyArray<PlanEvent> => [
  ...worked(agent, `cycle-1/review-${round}`, verdict === "ACCEPTABLE" ? "accept" : "remediate", "spec-reviewer"),
  {
    _tag: "CodeReviewed",
    cycle: 1,
    round,
    agent,
    verdict,
    issues: verdict === "ACCEPTABLE"
      ? []
      : [{ severity: "major", place: "a.ts:1", description: "It is wrong.", suggestion: "Mend it." }],
    problems: [],
    review: { text: verdict },
    content: content(letter)
  }
]

export const analysed = (agent: number, needsFixes = true): ReadonlyArray<PlanEvent> => [
  agentStarted({ agent, taskId: "cycle-1/analysis", role: "spec-reviewer" }),
  agentFinished({ agent, threadId: `t${agent}` }),
  {
    _tag: "ReviewAnalysed",
    cycle: 1,
    agent,
    needsFixes,
    instructions: { text: "Mend it." },
    dropped: [],
    problems: []
  }
]

export const closed = (because: PlanEventOf<"CycleClosed">["because"], cycle = 1): PlanEvent => ({
  _tag: "CycleClosed",
  cycle,
  because
})

/** Events, alone or several for one thing. */
export type Facts = ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>

/** The state after these events, one second apart. */
export const after = (...events: Facts): PlanState =>
  events.flat().reduce((state, event, i) => evolvePlan(state, event, i * 1000), begun)

/** Settings with plain defaults. */
export const settings = (change: Partial<DecideSettings> = {}): DecideSettings => ({
  allow: [],
  commitFixes: null,
  fixAttempts: 2,
  maxRounds: null,
  maxTime: null,
  maxTokens: null,
  rounds: 5,
  tests: ["npm test"],
  then: null,
  undoOnRed: false,
  ...change
})

export const view = (change: Partial<View> = {}): View => ({
  inPlay: tasks,
  done: [],
  isWritten: false,
  content: content("b"),
  used: { rounds: 0, time: 0, tokens: 0 },
  driver: "d1",
  ...change
})
