// Progress.live: progress redrawn on a terminal or printed.
import { closeSync, constants, openSync, writeSync } from "node:fs"
import { isatty } from "node:tty"
import { Effect, Layer, Stdio, Terminal } from "effect"
import { Environment } from "../../platform/Environment.ts"
import { colourWanted, redrawable, type Size, sizeOf } from "../../platform/Page.ts"
import { inForeground } from "../../platform/Processes.ts"
import { Progress, type Watcher, type WorkRow, workText } from "../../review/Progress.ts"
import { colours, inColour } from "../../text/Paint.ts"
import { outgoing } from "../../text/redaction/Redaction.ts"
import { fitWidth } from "../../text/Width.ts"
import { undrawn } from "./Tail.live.ts"

// Rows redrawn in place on a terminal.
// It erases only what it has drawn.

const colourOf: Readonly<Record<WorkRow["state"], string>> = {
  queued: colours.light,
  running: colours.busy,
  ended: colours.busy,
  clean: colours.good,
  issues: colours.open,
  retrying: colours.open,
  waiting: colours.open,
  failed: colours.bad,
  stopped: colours.light
}

/** A line, and the one word of it that is coloured. */
interface Line {
  readonly text: string
  readonly word: string
  readonly colour: string
}

const coloured = ({ colour, text, word }: Line): string => text.replace(word, inColour(colour, word))

const workLine = (work: WorkRow): Line => ({ text: workText(work), word: work.state, colour: colourOf[work.state] })

/** A line of how far the run is; the word before its colon stands out. */
const headLine = (text: string): Line => ({ text, word: /^\w+(?=:)/.exec(text)?.[0] ?? "", colour: colours.busy })

/** The bytes that take away so many lines above the cursor. */
export const erasing = (lines: number): string => lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`

/**
 * The bytes that put these rows, below the lines of `head`, in the place of `drawn` lines, and how many lines
 * they are. The cursor ends below them. Lines are kept from wrapping (DECAWM off): a line that wraps would
 * not be found again.
 */
export const frame = (
  work: ReadonlyArray<WorkRow>,
  drawn: number,
  { columns, rows: height }: Size,
  colour: boolean,
  head: ReadonlyArray<string> = []
): { readonly text: string; readonly lines: number } => {
  const room = Math.max(1, height - 2)
  const most = Math.max(1, columns - 1)
  const all = [...head.map(headLine), ...work.map(workLine)]
  const shown = all.length <= room ? all : all.slice(0, room - 1)
  const more = all.length - shown.length
  const lines = [
    ...shown.map((line) => ({ ...line, text: fitWidth(outgoing(line.text), most) })).map((line) =>
      colour ? coloured(line) : line.text
    ),
    ...(more === 0 ? [] : [fitWidth(`... and ${more} more`, most)])
  ]
  const body = lines.map((line) => `${line}\r\n`).join("")
  return { text: `${erasing(drawn)}\u001b[?7l${body}\u001b[?7h`, lines: lines.length }
}

/**
 * Draws by `write`, which says whether this process may draw now; what was drawn before a time in the background has
 * scrolled away by its end. Where it fails (a terminal that is held or gone) that frame is dropped.
 */
export const drawing = (
  write: (text: string) => Effect.Effect<boolean, unknown>,
  size: Effect.Effect<Size>,
  colour: boolean
): Watcher => {
  let drawn = 0
  const put = (text: string, lines: number): Effect.Effect<void> =>
    Effect.match(write(text), {
      // Nothing was written, so the frame before is still there.
      onFailure: () => {},
      onSuccess: (written) => {
        drawn = written ? lines : 0
      }
    })
  return {
    ...undrawn,
    on: true,
    show: Effect.fnUntraced(function*(work, head) {
      const { lines, text } = frame(work, drawn, yield* size, colour, head)
      yield* put(text, lines)
    }),
    clear: Effect.suspend(() => drawn > 0 ? put(erasing(drawn), 0) : Effect.void)
  }
}

// The progress of a step, drawn on the terminal of this process and never on its streams.
// It draws only while the process is in the foreground: one in the background shares the terminal with whatever the
// person does there now.

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
  if (fd === null) return undrawn
  const env = yield* Environment
  const write = (text: string) => Effect.try(() => inForeground(env) && writeSync(fd, text) > 0)
  return drawing(write, Effect.sync(() => sizeOf(process.stderr)), yield* colourWanted)
})

/** A step's progress: on `/dev/tty` where standard error is a terminal, else not drawn. */
export const ttyLayer: Layer.Layer<never> = Layer.effect(
  Progress,
  Effect.flatMap(redrawable, (drawable) => drawable && isatty(2) ? onTerminal : Effect.succeed(undrawn))
)

// The progress of a run for a subcommand whose output it is.

/** The rows: redrawn where standard output is a terminal, else for the subcommand to write. */
export const outputLayer: Layer.Layer<never, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(
  Progress,
  Effect.gen(function*() {
    const { stdoutIsTerminal } = yield* Stdio.Stdio
    const { columns, display, rows } = yield* Terminal.Terminal
    if (!(yield* stdoutIsTerminal) || !(yield* redrawable)) return undrawn
    const size = Effect.map(Effect.all({ columns, rows }), sizeOf)
    return drawing((text) => Effect.as(display(text), true), size, yield* colourWanted)
  })
)
