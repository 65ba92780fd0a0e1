// ProgressTty: rows redrawn in place on a terminal.
// It erases only what it has drawn, and draws only while the process is in the foreground.
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs"
import { isatty } from "node:tty"
import { Effect, Layer } from "effect"
import { type Row, type RowState, rowText } from "../../core/loop/Row.ts"
import { variable } from "../../services/Environment.ts"
import { cut } from "../../core/text/Untrusted.ts"
import { Progress, silent, type Watcher } from "../../services/Progress.ts"
import { tailOf } from "./TailOf.ts"

const colours: Readonly<Record<RowState, string>> = {
  queued: "2",
  running: "36",
  ended: "36",
  clean: "32",
  issues: "33",
  retrying: "33",
  failed: "31",
  stopped: "2"
}

/** The size of a terminal in characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

const coloured = (row: Row, text: string, colour: boolean): string =>
  colour ? text.replace(row.state, `\u001b[${colours[row.state]}m${row.state}\u001b[0m`) : text

/** The bytes that take away so many lines above the cursor. */
export const erasing = (lines: number): string => lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`

/**
 * The bytes that put these rows in the place of `drawn` lines, and how many lines they are. The cursor comes to stand
 * below them. Lines are kept from wrapping (DECAWM off): a line that wraps would not be found again.
 */
export const frame = (
  rows: ReadonlyArray<Row>,
  drawn: number,
  { columns, rows: height }: Size,
  colour: boolean
): { readonly text: string; readonly lines: number } => {
  const room = Math.max(1, height - 2)
  const shown = rows.length <= room ? rows : rows.slice(0, room - 1)
  const fit = (text: string) => cut(text, Math.max(1, columns - 1))
  const more = rows.length - shown.length
  const lines = [
    ...shown.map((row) => coloured(row, fit(rowText(row)), colour)),
    ...(more === 0 ? [] : [fit(`... and ${more} more`)])
  ]
  const body = lines.map((line) => `${line}\r\n`).join("")
  return { text: `${erasing(drawn)}\u001b[?7l${body}\u001b[?7h`, lines: lines.length }
}

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

/**
 * Draws by `write`, which says whether this process may draw now; what was drawn before a time in the background has
 * scrolled away by its end. Where it throws (a terminal that is held or gone) that frame is dropped.
 */
export const drawing = (write: (text: string) => boolean, size: () => Size, colour: boolean): Watcher => {
  let drawn = 0
  const put = (text: string, lines: number): void => {
    try {
      drawn = write(text) ? lines : 0
    } catch {
      // Nothing was written, so the frame before is still there.
    }
  }
  return {
    on: true,
    tail: tailOf,
    show: (rows) =>
      Effect.sync(() => {
        const { lines, text } = frame(rows, drawn, size(), colour)
        put(text, lines)
      }),
    clear: Effect.sync(() => {
      if (drawn > 0) put(erasing(drawn), 0)
    })
  }
}

const sizeOf = ({ columns, rows }: NodeJS.WriteStream): Size => ({ columns: columns || 80, rows: rows || 24 })
const colourWanted = Effect.map(variable("NO_COLOR"), (text) => text === null)

/** Whether a descriptor is a terminal on which lines can be redrawn. */
const canDraw = (fd: number) => Effect.map(variable("TERM"), (terminal) => isatty(fd) && terminal !== "dumb")

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
  const write = (text: string) => inForeground() && writeSync(fd, text) > 0
  return drawing(write, () => sizeOf(process.stderr), yield* colourWanted)
})

/** A step's progress: on `/dev/tty` where standard error is a terminal, else silent. */
export const layer: Layer.Layer<never> = Layer.effect(
  Progress,
  Effect.flatMap(canDraw(2), (drawable) => drawable ? onTerminal : Effect.succeed(silent))
)

/** For a command whose output is the rows: redrawn where standard output is a terminal, else for it to write. */
export const layerOutput: Layer.Layer<never> = Layer.effect(
  Progress,
  Effect.gen(function*() {
    if (!(yield* canDraw(1))) return { ...silent, tail: tailOf }
    return drawing((text) => writeSync(1, text) > 0, () => sizeOf(process.stdout), yield* colourWanted)
  })
)
