// Signals: the port to the signals that end a step from outside.
// A step that is asked to end records that in the log. Its reviewers go on unless a person asked.
import { Context, type Effect } from "effect"

/** SIGINT comes from a person at the terminal; SIGTERM and SIGHUP from whoever runs the step. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP"

export class Signals extends Context.Service<Signals, {
  /** Completes with the first signal that asks this step to end. */
  readonly asked: Effect.Effect<SignalName>
}>()("ooda-codex-review/services/Signals") {}
