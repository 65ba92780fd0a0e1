// ProgressOutput: the progress of a run for a subcommand whose output it is.
import { Effect, Layer, Stdio, Terminal } from "effect"
import { Progress } from "../../services/Progress.ts"
import { colourWanted, drawing, redrawable, sizeOf } from "./Drawing.ts"
import { undrawn } from "./TailOf.ts"

/** The rows: redrawn where standard output is a terminal, else for the subcommand to write. */
export const layer: Layer.Layer<never, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(
  Progress,
  Effect.gen(function*() {
    const { stdoutIsTerminal } = yield* Stdio.Stdio
    const { columns, display, rows } = yield* Terminal.Terminal
    if (!(yield* stdoutIsTerminal) || !(yield* redrawable)) return undrawn
    const size = Effect.map(Effect.all({ columns, rows }), sizeOf)
    return drawing((text) => Effect.as(display(text), true), size, yield* colourWanted)
  })
)
