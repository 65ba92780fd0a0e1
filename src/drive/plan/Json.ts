// Json: the JSON document of implement.
import { Effect, Schema } from "effect"
import { usageOf } from "../../agent/State.ts"
import { Count, documentText, OutcomeName, RunName, runName, version } from "../../run/Document.ts"
import { SeenHead } from "../../run/Event.ts"
import { RunStore } from "../../run/RunStore.ts"
import { Usage } from "../../run/Usage.ts"
import type { PlanInspected } from "./Inspect.ts"
import { type PlanOutcome, planExitCode, planHeader } from "./Outcome.ts"

// The one JSON document that `implement --json` puts on standard output.

const Text = Schema.NullOr(Schema.String)

const Cycle = Schema.Struct({
  cycle: Count,
  tasks: Schema.Array(Count),
  reviews: Schema.Array(Schema.Struct({ round: Count, verdict: Text, issues: Count })),
  accepted: Text,
  marked: Schema.Array(Count),
  closed: Text
})

/** The document of `implement --json`. Of a call that failed only the outcome is known. */
export class ImplementDocument extends Schema.Class<ImplementDocument>("Implement")({
  schema: version,
  outcome: Schema.Literals([...OutcomeName.literals, "DoneAccepted"]),
  exitCode: Count,
  header: Schema.String,
  action: Text,
  key: Text,
  prompt: Text,
  message: Text,
  run: Schema.NullOr(RunName),
  directory: Text,
  plan: Text,
  tasks: Schema.NullOr(Schema.Array(Schema.Struct({ index: Count, title: Schema.String, done: Schema.Boolean }))),
  cycles: Schema.NullOr(Schema.Array(Cycle)),
  usage: Schema.NullOr(Usage),
  head: Schema.NullOr(SeenHead),
  next: Text
}) {}

const outcomePart = (outcome: PlanOutcome) => ({
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

/** What the document has beside the outcome. A call that was no inspection has no `next`. */
export type Seen = Omit<PlanInspected, "next" | "outcome"> & Partial<Pick<PlanInspected, "next">>

/** The document of a call, one line, ending in a newline. */
export const planJson = Effect.fn("Json.planJson")(
  function*(outcome: PlanOutcome, seen: Seen | null) {
    if (seen === null) return documentText(ImplementDocument, { ...outcomePart(outcome), ...nothing })
    const { next = null, plan, run, drive: { driver: { head, state }, file } } = seen
    return documentText(ImplementDocument, {
      ...outcomePart(outcome),
      run: run === null ? null : runName(run),
      directory: run === null ? null : (yield* RunStore).runPlaces(run).directory,
      plan: file,
      tasks: plan.tasks.map(({ done, title }, index) => ({ index, title, done })),
      cycles: state.rounds.map(({ accepted, closed, marked, reviews, round, started }) => ({
        cycle: round,
        tasks: started.tasks.map(({ index }) => index),
        reviews: reviews.map(({ issues, round, verdict }) => ({ round, verdict, issues: issues.length })),
        accepted: accepted?.because ?? null,
        marked: marked?.tasks ?? [],
        closed: closed?.because ?? null
      })),
      usage: usageOf(state.agents),
      head: run === null ? null : head,
      next
    })
  }
)
