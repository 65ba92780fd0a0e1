// ProgressTty: the progress of a step, drawn on the terminal of this process and never on its streams.
// It draws only while the process is in the foreground.
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs"
import { isatty } from "node:tty"
import { Effect, Layer } from "effect"
import { Progress, silent } from "../../services/Progress.ts"
import { colourWanted, drawing, redrawable, sizeOf } from "./Drawing.ts"

// A step in the background shares the terminal with whatever the person does there now. Fields 5 and 8 of its stat:
// its own process group, and the one in the foreground of its terminal.
const inForeground = (): boolean => {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[2] === fields[5]
  } catch {
    return true
  }
}

// Without O_NONBLOCK a terminal that is held (Ctrl-S) would hold the step too.
const openTerminal = (): number | null => {
  try {
    return openSync("/dev/tty", constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
  } catch {
    return null
  }
}

const onTerminal = Effect.gen(function*() {
  const fd = yield* Effect.acquireRelease(
    Effect.sync(openTerminal),
    (fd) => Effect.sync(() => fd === null ? undefined : closeSync(fd))
  )
  if (fd === null) return silent
  const write = (text: string) => Effect.try(() => inForeground() && writeSync(fd, text) > 0)
  return drawing(write, Effect.sync(() => sizeOf(process.stderr)), yield* colourWanted)
})

/** A step's progress: on `/dev/tty` where standard error is a terminal, else silent. */
export const layer: Layer.Layer<never> = Layer.effect(
  Progress,
  Effect.flatMap(redrawable, (drawable) => drawable && isatty(2) ? onTerminal : Effect.succeed(silent))
)
