// BusyLine.live: the busy line on standard error.
import { fstatSync, writeSync } from "node:fs"
import { isatty } from "node:tty"
import { Effect, Layer } from "effect"
import { Waiting } from "./BusyLine.ts"
import { cut } from "../../text/Untrusted.ts"
import { redrawable, sizeOf } from "../../platform/Page.ts"

// A line on the terminal of standard error while a subcommand works.

const [standardOutput, standardError] = [1, 2]
const erased = "\r\u001b[K"
const write = (text: string) => Effect.ignore(Effect.try(() => writeSync(standardError, text)))

/** Whether another program reads the output and may draw on the terminal itself. */
const isPiped = Effect.try(() => fstatSync(standardOutput)).pipe(
  Effect.map((stats) => stats.isFIFO() || stats.isSocket()),
  Effect.orElseSucceed(() => true)
)

/** Draws where standard error is a terminal of any width that can erase a line. */
export const layer: Layer.Layer<never> = Layer.effect(
  Waiting,
  Effect.map(Effect.all([redrawable, isPiped]), ([drawable, piped]) => ({
    on: drawable && isatty(standardError),
    again: !piped,
    show: (line) =>
      Effect.suspend(() => write(`${erased}${cut(line, Math.max(0, sizeOf(process.stderr).columns - 1))}`)),
    clear: write(erased)
  }))
)
