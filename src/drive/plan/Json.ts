// Json: the JSON document of implement.
import { Effect, Record, Schema, Struct } from "effect"
import { outcomeFields, outcomePart } from "../../step/StepJson.ts"
import { usageOf } from "../../agent/State.ts"
import { Count, documentText, OutcomeName, RunName, runName, version } from "../../run/Document.ts"
import { SeenHead } from "../../run/Event.ts"
import { RunStore } from "../../run/RunStore.ts"
import { Usage } from "../../run/Usage.ts"
import type { PlanInspected } from "./Implement.ts"
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

// Of a call that failed only the outcome is known.
const seenFields = {
  run: RunName,
  directory: Schema.String,
  plan: Schema.String,
  tasks: Schema.Array(Schema.Struct({ index: Count, title: Schema.String, done: Schema.Boolean })),
  rounds: Schema.Array(Round),
  usage: Usage,
  head: SeenHead,
  next: Schema.String
}

/** The document of `implement --json`. */
export class ImplementDocument extends Schema.Class<ImplementDocument>("Implement")({
  schema: version,
  outcome: Schema.Literals([...OutcomeName.literals, "DoneAccepted"]),
  exitCode: Count,
  header: Schema.String,
  ...outcomeFields,
  ...Struct.map(seenFields, Schema.NullOr)
}) {}

const endPart = (outcome: PlanOutcome) => ({
  outcome: outcome._tag,
  exitCode: planExitCode(outcome),
  header: planHeader(outcome),
  ...outcomePart(outcome)
})

/** What the document has beside the outcome. A call that was no inspection has no `next`. */
export type Seen = Omit<PlanInspected, "next" | "outcome"> & Partial<Pick<PlanInspected, "next">>

/** The document of a call, one line, ending in a newline. */
export const planJson = Effect.fn("Json.planJson")(
  function*(outcome: PlanOutcome, seen: Seen | null) {
    if (seen === null) {
      return documentText(ImplementDocument, {
        ...endPart(outcome),
        ...Record.map(seenFields, () => null)
      })
    }
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
