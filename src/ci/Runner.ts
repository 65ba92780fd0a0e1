// Runner: the port to the runner of a workflow: the event that started it, and the files that it reads from a step.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { brief } from "../text/Untrusted.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"

/** Why the runner cannot be used: a variable is not set, a file cannot be used, an event says too little. */
export const RunnerReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NotSet", {}),
  Schema.TaggedStruct("NoEvent", { problem: Schema.String })
])
export type RunnerReason = typeof RunnerReason.Type

const reasonText = (reason: RunnerReason): string => {
  switch (reason._tag) {
    case "NotSet":
      return "it is not set [ci is called by a step of a GitHub Actions workflow; elsewhere call the step or converge]"
    case "NoEvent":
      return `${brief(reason.problem, 300)} [see which event starts the workflow: docs/ci.md]`
    default:
      return `${systemFaultText(reason)} [check the runner]`
  }
}

/** The runner's event or one of its files cannot be used. */
export class RunnerFailed extends Schema.TaggedError<RunnerFailed>()("RunnerFailed", {
  variable: Schema.String,
  reason: RunnerReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.variable}: ${reasonText(this.reason)}`
  }
}

export class Runner extends Context.Service<Runner, {
  /** The event that started the workflow, as its file holds it. */
  readonly event: Effect.Effect<unknown, RunnerFailed>
  readonly output: (lines: string) => Effect.Effect<void, RunnerFailed>
  /** Adds a text to the summary that people are shown. */
  readonly summarise: (text: string) => Effect.Effect<void, RunnerFailed>
}>()("ooda-codex-review/services/Runner") {}
