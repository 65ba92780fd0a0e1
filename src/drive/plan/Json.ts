// PlanJson: the one JSON document that `implement --json` puts on standard output.
// Fields are only added; `schema` grows when a field changes its meaning.
import { Effect } from "effect"
import { usageOf } from "../../agent/State.ts"
import { type PlanOutcome, planExitCode, planHeader } from "./Outcome.ts"
import { jsonText } from "../../text/Json.ts"
import { RunStore } from "../../run/RunStore.ts"
import type { PlanInspected } from "./Inspect.ts"

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

const nothing = {
  run: null,
  directory: null,
  plan: null,
  tasks: null,
  cycles: null,
  usage: null,
  head: null,
  next: null
}

/** What is told of beside the outcome. A call that was no inspection has no `next`. */
export type Seen = Omit<PlanInspected, "next" | "outcome"> & Partial<Pick<PlanInspected, "next">>

/** The document of a call, one line, ending in a newline. If the call failed, only its outcome is known. */
export const planJson = Effect.fn("Json.planJson")(
  function*(outcome: PlanOutcome, seen: Seen | null) {
    if (seen === null) return `${jsonText({ ...outcomePart(outcome), ...nothing })}\n`
    const { next = null, plan, run, working: { driver: { head, state }, file } } = seen
    const document = {
      ...outcomePart(outcome),
      run: run?.runId ?? null,
      directory: run === null ? null : (yield* RunStore).runPlaces(run).directory,
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
      head: run === null ? null : head,
      next
    }
    return `${jsonText(document)}\n`
  }
)
