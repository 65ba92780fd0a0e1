// OutputLive: standard output of this process.
// Each write waits for the one before it, so that a slow reader slows the writer down and memory does not grow.
import { Effect, Layer } from "effect"
import { Output, OutputClosed, type OutputError, OutputFailed } from "../../services/Output.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"

const closed = (error: unknown): boolean =>
  hasCode(error, "EPIPE") || (error instanceof Error && "code" in error && error.code === "ERR_STREAM_DESTROYED")

const failure = (error: unknown): OutputError =>
  closed(error) ? new OutputClosed({}) : new OutputFailed({ reason: systemFault(error) })

/** Writes to a stream of this process. */
export const to = (stream: NodeJS.WritableStream): Output["Service"] =>
  Output.of({
    write: Effect.fn("Output.write")((text: string) =>
      text === "" ? Effect.void : Effect.callback<void, OutputError>((resume) => {
        stream.write(text, (error) => resume(error ? Effect.fail(failure(error)) : Effect.void))
      })
    )
  })

/** The live layer. */
export const layer: Layer.Layer<Output> = Layer.sync(Output, () => {
  // The write that failed reports the error. Unheard, the event of the stream would end the process.
  process.stdout.on("error", () => {})
  return to(process.stdout)
})
