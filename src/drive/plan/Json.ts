// Json: the JSON document of implement.
import { Effect, Schema } from "effect"
import { outcomeFields, outcomePart } from "../../step/StepJson.ts"
import { usageOf } from "../../agent/State.ts"
import { Count, documentText, OutcomeName, RunName, runName, version } from "../../run/Document.ts"
import { SeenHead } from "../../run/Event.ts"
import { RunStore } from "../../run/RunStore.ts"
import { Usage } from "../../run/Usage.ts"
import type { PlanInspected } from "./Inspect.ts"
import { type PlanOutcome, planExitCode, planHeader } from "./Outcome.ts"

const Text = Schema.NullOr(Schema.String)

const Round = Schema.Struct({
  round: Count,
  tasks: Schema.Array(Count),
  reviews: Schema.Array(Schema.Struct({ review: Count, verdict: Text, issues: Count })),
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
  ...outcomeFields,
  run: Schema.NullOr(RunName),
  directory: Text,
  plan: Text,
  tasks: Schema.NullOr(Schema.Array(Schema.Struct({ index: Count, title: Schema.String, done: Schema.Boolean }))),
  rounds: Schema.NullOr(Schema.Array(Round)),
  usage: Schema.NullOr(Usage),
  head: Schema.NullOr(SeenHead),
  next: Text
}) {}

const endPart = (outcome: PlanOutcome) => ({
  outcome: outcome._tag,
  exitCode: planExitCode(outcome),
  header: planHeader(outcome),
  ...outcomePart(outcome)
})

const nothing = {
  run: null,
  directory: null,
  plan: null,
  tasks: null,
  rounds: null,
  usage: null,
  head: null,
  next: null
}

/** What the document has beside the outcome. A call that was no inspection has no `next`. */
export type Seen = Omit<PlanInspected, "next" | "outcome"> & Partial<Pick<PlanInspected, "next">>

/** The document of a call, one line, ending in a newline. */
export const planJson = Effect.fn("Json.planJson")(
  function*(outcome: PlanOutcome, seen: Seen | null) {
    if (seen === null) return documentText(ImplementDocument, { ...endPart(outcome), ...nothing })
    const { next = null, plan, run, drive: { driver: { head, state }, file } } = seen
    return documentText(ImplementDocument, {
      ...endPart(outcome),
      run: run === null ? null : runName(run),
      directory: run === null ? null : (yield* RunStore).runPlaces(run).directory,
      plan: file,
      tasks: plan.tasks.map(({ done, title }, index) => ({ index, title, done })),
      rounds: state.rounds.map(({ accepted, closed, marked, reviews, round, started }) => ({
        round,
        tasks: started.tasks.map(({ index }) => index),
        reviews: reviews.map((one) => ({ review: one.round, verdict: one.verdict, issues: one.issues.length })),
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
