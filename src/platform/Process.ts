// Process: the ports to this process's signals, standard input and standard output.
import { Context, Effect, Schema, Stdio, Stream } from "effect"
import { exits } from "./Failure.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** SIGINT comes from a person at the terminal; SIGTERM and SIGHUP from whoever runs the step. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP"

export class Signals extends Context.Service<Signals, {
  /** Completes with the first signal that asks this step to end. */
  readonly asked: Effect.Effect<SignalName>
}>()("ooda-codex-review/services/Signals") {}

/** One turn of the event loop. Short programs are waited for without one, so a signal is heard only after it. */
export const eventsHeard: Effect.Effect<void> = Effect.callback((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

// Standard input

/** Standard input could not be read, or is longer than the limit. */
export class InputFailed extends Schema.TaggedError<InputFailed>()("InputFailed", {
  reason: Schema.TaggedUnion({ TooLong: { most: Schema.Int }, Unreadable: { detail: Schema.String } })
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return this.reason._tag === "TooLong"
      ? `standard input is longer than ${this.reason.most} bytes: give the agent's last message alone`
      : `standard input cannot be read: ${this.reason.detail}`
  }
}

/** Standard input to its end, as UTF-8, at most so many bytes. */
export const readInput = Effect.fn("Process.readInput")(function*(most: number) {
  const { stdin } = yield* Stdio.Stdio
  const decoder = new TextDecoder()
  const texts: Array<string> = []
  let length = 0
  yield* stdin.pipe(
    Stream.mapError(({ message }) => new InputFailed({ reason: { _tag: "Unreadable", detail: message } })),
    Stream.runForEach((bytes) => {
      length += bytes.length
      if (length > most) return Effect.fail(new InputFailed({ reason: { _tag: "TooLong", most } }))
      return Effect.sync(() => void texts.push(decoder.decode(bytes, { stream: true })))
    })
  )
  return texts.join("") + decoder.decode()
})

// Standard output

/** The reader of standard output has gone, so nothing more can be printed. */
export class OutputClosed extends Schema.TaggedError<OutputClosed>()("OutputClosed", {}) {
  readonly exitCode = exits.done
  override get message() {
    return "standard output was closed by its reader"
  }
}

/** Standard output could not be written: a full disk behind a redirection, an input/output error. */
export class OutputFailed extends Schema.TaggedError<OutputFailed>()("OutputFailed", { reason: SystemFault }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `standard output: ${systemFaultText(this.reason)}`
  }
}

export type OutputError = OutputClosed | OutputFailed

export class Output extends Context.Service<Output, {
  /** Writes a text; returns once the stream has taken all of it. */
  readonly write: (text: string) => Effect.Effect<void, OutputError>
}>()("ooda-codex-review/services/Output") {}

/** Standard output for committed events, where `Output` prints no secret. */
export const PlainOutput = Context.Reference<Output["Service"] | null>("ooda-codex-review/services/PlainOutput", {
  defaultValue: () => null
})
