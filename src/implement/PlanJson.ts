// PlanJson: the one JSON document that `implement --json` puts on standard output.
// Fields are only added; `schema` grows when a field changes its meaning.
import { Effect } from "effect"
import { usageOf } from "../core/agent/AgentsState.ts"
import { type PlanOutcome, planExitCode, planHeader } from "../core/implement/PlanOutcome.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { RunStore } from "../services/RunStore.ts"
import type { Implemented } from "./Implement.ts"

const schema = 1

const outcomePart = (outcome: PlanOutcome) => ({
  schema,
  outcome: outcome._tag,
  exitCode: planExitCode(outcome),
  header: planHeader(outcome),
  action: "action" in outcome ? outcome.action : null,
  key: "key" in outcome ? outcome.key : null,
  prompt: "prompt" in outcome ? outcome.prompt : null,
  message: "message" in outcome ? outcome.message : null
})

const nothing = { run: null, directory: null, plan: null, tasks: null, cycles: null, usage: null, head: null }

/** The document of a call, one line, ending in a newline. Of a call that failed, only its outcome is known. */
export const planJson = Effect.fn("PlanJson.planJson")(
  function*(outcome: PlanOutcome, implemented: Implemented | null) {
    if (implemented === null) return `${jsonText({ ...outcomePart(outcome), ...nothing })}\n`
    const { plan, run, working: { driver: { head, state }, file } } = implemented
    const document = {
      ...outcomePart(outcome),
      run: run.runId,
      directory: (yield* RunStore).runPlaces(run).directory,
      plan: file,
      tasks: plan.tasks.map(({ done, title }, index) => ({ index, title, done })),
      cycles: state.cycles.map(({ accepted, closed, marked, reviews, started }) => ({
        cycle: started.cycle,
        tasks: started.tasks.map(({ index }) => index),
        reviews: reviews.map(({ issues, round, verdict }) => ({ round, verdict, issues: issues.length })),
        accepted: accepted?.because ?? null,
        marked: marked?.tasks ?? [],
        closed: closed?.because ?? null
      })),
      usage: usageOf(state.agents),
      head
    }
    return `${jsonText(document)}\n`
  }
)
