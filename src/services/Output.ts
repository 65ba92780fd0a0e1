// Output: the port to standard output for commands that print as they go.
// A text is written whole, in order, and no faster than its reader takes it.
import { Context, type Effect, Schema } from "effect"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** The reader of standard output has gone away, so the program cannot tell it anything more. */
export class OutputClosed extends Schema.TaggedError<OutputClosed>()("OutputClosed", {}) {
  override get message() {
    return "standard output was closed by its reader"
  }
}

/** Standard output could not be written: a full disk behind a redirection, an input/output error. */
export class OutputFailed extends Schema.TaggedError<OutputFailed>()("OutputFailed", { reason: SystemFault }) {
  override get message() {
    return `standard output: ${systemFaultText(this.reason)}`
  }
}

export type OutputError = OutputClosed | OutputFailed

export class Output extends Context.Service<Output, {
  /** Writes a text; returns when the stream has taken all of it. */
  readonly write: (text: string) => Effect.Effect<void, OutputError>
}>()("ooda-codex-review/services/Output") {}
