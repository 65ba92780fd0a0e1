// Analyses: what the analysis of a cycle's first review leaves to be fixed.
// It is committed once, so that what was said is told again, and nobody is asked twice.
import { Effect } from "effect"
import type { AgentOrder, AgentResult } from "../agents/AgentOrder.ts"
import { runAgent } from "../agents/RunAgent.ts"
import type { AgentState } from "../core/agent/AgentsState.ts"
import type { AgentTask } from "../core/agent/Task.ts"
import { isLasting, isOpen } from "../core/agent/TaskProgress.ts"
import { analyse, analysisJsonSchema } from "../core/implement/Analysis.ts"
import { analysisPrompt } from "../core/implement/AnalysisPrompt.ts"
import { type GivenReview, reviewBlock } from "../core/implement/PlanParts.ts"
import { claimed, type CycleState } from "../core/implement/PlanState.ts"
import { lastOfStep, stepIdOf } from "../core/implement/Steps.ts"
import type { Plan } from "../core/plan/Plan.ts"
import { fitting } from "../core/text/Fitting.ts"
import { record } from "../driving/Work.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { PlanFiles } from "../services/PlanFiles.ts"
import { messageOf, othersOf, tasksOf } from "./Orders.ts"
import { givenReview, reading, type Unfinished } from "./Reviews.ts"
import type { Working } from "./Working.ts"

// An event has room for so many bytes of drops. The document is the repository's own, of how it is reviewed.
const bounds = { drops: 28_000, document: 20_000 } as const

const analysisTask = (cycle: CycleState): string => stepIdOf(cycle.started.cycle, { _tag: "Analyse" })

/**
 * The analysis of a cycle's last review that can still be told. An analysis that was ended or could not begin is not
 * used again.
 */
const analystOf = ({ driver: { state } }: Working, { reviews, started: { cycle } }: CycleState): AgentState | null => {
  const last = lastOfStep(state, cycle, { _tag: "Analyse" })
  return last !== null && isOpen(last) && last.agent > (reviews.at(-1)?.agent ?? 0) ? last : null
}

/** The words of the analysis of a cycle's first review: asked for, or told again. */
const analysisOf = Effect.fnUntraced(function*(working: Working, plan: Plan, cycle: CycleState, given: GivenReview) {
  const { driver: { state }, file, run } = working
  const { cycle: number } = cycle.started
  const known = analystOf(working, cycle)
  const prompt = analysisPrompt({
    planFile: file,
    review: given,
    reviewDocument: yield* (yield* PlanFiles).document(run.manifest.worktree, "REVIEW.md", bounds.document),
    done: tasksOf(plan, claimed(cycle)),
    pending: tasksOf(plan, othersOf(plan, claimed(cycle)).map(({ index }) => index)),
    implementer: messageOf(lastOfStep(state, number, { _tag: "Implement" }))
  })
  const asked = reading(working, analysisTask(cycle), prompt)
  const task: AgentTask = { ...asked.task, sandbox: "read-only", answer: analysisJsonSchema() }
  const order: AgentOrder = { ...asked, agent: known?.agent ?? state.agents.agents.length + 1, task }
  return { agent: order.agent, ...(yield* runAgent(working.driver, order)) }
})

const answerOf = (result: AgentResult): string | null =>
  result._tag === "Ended" && result.ending._tag === "Done" ? result.ending.message : null

/** Whether an analysis cannot be made now, so that a person must act first. Any other failure leaves the raw review. */
const isHalted = (result: AgentResult): result is Extract<AgentResult, { readonly _tag: "Ended" }> =>
  result._tag === "Ended" && result.ending._tag !== "Done" && result.ending._tag !== "Reported" &&
  isLasting(result.ending._tag)

const analysedAgain = Effect.fnUntraced(function*(working: Working, plan: Plan, cycle: CycleState) {
  const given = yield* givenReview(working, cycle, 0)
  const asked = yield* analysisOf(working, plan, cycle, given)
  const pending = tasksOf(plan, othersOf(plan, claimed(cycle)).map(({ index }) => index))
  return { ...asked, analysed: analyse({ review: given, pending, answer: answerOf(asked.result) }) }
})

/** Asks what of a cycle's first review is to be fixed, and records it; what came instead is given back. */
export const analysis = Effect.fn("Reviews.analysis")(function*(working: Working, plan: Plan, cycle: CycleState) {
  const { agent, analysed, driver, result } = yield* analysedAgain(working, plan, cycle)
  const now = { ...working, driver }
  if (result._tag === "Stopped") return { working: now, unfinished: { ...result, agent } satisfies Unfinished }
  if (isHalted(result)) {
    const { ending, remedy } = result
    return { working: now, unfinished: { _tag: "Halted", agent, ending, remedy } satisfies Unfinished }
  }
  const { dropped, instructions, needsFixes, problems } = analysed
  const recorded = yield* record(now, [{
    _tag: "ReviewAnalysed",
    cycle: cycle.started.cycle,
    agent,
    needsFixes,
    instructions: yield* keepLong(working.run.ref, instructions),
    dropped: fitting(dropped, bounds.drops),
    problems
  }])
  return { working: recorded, unfinished: null }
})

/** What a fixer is to do: what the analysis left of the first review, later the whole review before. */
export const instructionsFor = Effect.fn("Reviews.instructionsFor")(
  function*(working: Working, plan: Plan, cycle: CycleState, round: number) {
    if (round <= 1) {
      const known = cycle.analysed?.instructions
      return known?.rest === undefined
        ? known?.text ?? ""
        : (yield* analysedAgain(working, plan, cycle)).analysed.instructions
    }
    return reviewBlock(yield* givenReview(working, cycle, round - 1))
  }
)
