// Process.live: signals and standard output of this process.
// The first signal ends the step in order, with its record; further ones do not interrupt that.
import { Effect, Layer } from "effect"
import { Output, OutputClosed, type OutputError, OutputFailed, type SignalName, Signals } from "./Process.ts"
import { hasCode, systemFault } from "./SystemError.ts"

const names: ReadonlyArray<SignalName> = ["SIGHUP", "SIGINT", "SIGTERM"]

// Milliseconds that an orderly end may take at worst: reviewers that do not die, large transcripts.
// People press Ctrl-C twice, and npx repeats the terminal's signal: neither may leave reviewers behind.
const respite = 20_000

const asked = Effect.callback<SignalName>((resume) => {
  let first = true
  const handlers = names.map((name) => {
    const handle = () => {
      if (!first) return
      first = false
      // From then on a signal has its default effect: it ends this process.
      setTimeout(stopListening, respite).unref()
      resume(Effect.succeed(name))
    }
    process.on(name, handle)
    return { name, handle }
  })
  const stopListening = () => {
    for (const { handle, name } of handlers) process.off(name, handle)
  }
  // The handlers stay while the end is recorded: the default effect would cut the record short.
  return Effect.sync(() => {
    if (first) stopListening()
  })
})

export const signalsLayer = Layer.succeed(Signals, { asked: Effect.withSpan(asked, "Signals.asked") })

// Standard output. Each write waits for the one before it: a slow reader slows the writer, and memory does not grow.

const closed = (error: unknown): boolean =>
  hasCode(error, "EPIPE") || (error instanceof Error && "code" in error && error.code === "ERR_STREAM_DESTROYED")

const failure = (error: unknown): OutputError =>
  closed(error) ? new OutputClosed({}) : new OutputFailed({ reason: systemFault(error) })

/** Writes to a stream of this process. */
export const outputTo = (stream: NodeJS.WritableStream): Output["Service"] =>
  Output.of({
    write: Effect.fn("Output.write")((text: string) =>
      text === "" ? Effect.void : Effect.callback<void, OutputError>((resume) => {
        stream.write(text, (error) => resume(error ? Effect.fail(failure(error)) : Effect.void))
      })
    )
  })

/** The live layer. */
export const outputLayer: Layer.Layer<Output> = Layer.sync(Output, () => {
  // The failed write reports the error. An unhandled event of the stream would end the process.
  process.stdout.on("error", () => {})
  return outputTo(process.stdout)
})
