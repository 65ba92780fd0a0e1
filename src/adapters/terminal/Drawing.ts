// Drawing: rows redrawn in place on a terminal.
// It erases only what it has drawn.
import { Effect } from "effect"
import { headLines, type LiveView, markOf } from "../../core/driven/LiveView.ts"
import { type Row, type Working, workingOf, workingText } from "../../core/loop/Row.ts"
import { variable } from "../../services/Environment.ts"
import { fitting } from "../../core/text/Width.ts"
import type { Watcher } from "../../services/Progress.ts"
import { undrawn } from "./TailOf.ts"

const colours: Readonly<Record<Working["state"], string>> = {
  queued: "2",
  running: "36",
  ended: "36",
  clean: "32",
  issues: "33",
  retrying: "33",
  waiting: "33",
  failed: "31",
  stopped: "2"
}

/** The size of a terminal in characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A line, and the one word of it that is coloured. */
interface Line {
  readonly text: string
  readonly word: string
  readonly colour: string
}

const coloured = ({ colour, text, word }: Line): string => text.replace(word, `\u001b[${colour}m${word}\u001b[0m`)

const workLine = (work: Working): Line => ({ text: workingText(work), word: work.state, colour: colours[work.state] })

/** The lines of a driven run: how far it is, then what its driver does. */
const linesOf = (driven: LiveView, columns: number): ReadonlyArray<Line> => [
  ...headLines(driven, columns).map((text) => ({ text, word: markOf(driven), colour: "36" })),
  ...driven.work.map(workLine)
]

/** The bytes that take away so many lines above the cursor. */
export const erasing = (lines: number): string => lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`

/**
 * The bytes that put these rows, below what is told of a driven run, in the place of `drawn` lines, and how many lines
 * they are. The cursor comes to stand below them. Lines are kept from wrapping (DECAWM off): a line that wraps would
 * not be found again.
 */
export const frame = (
  rows: ReadonlyArray<Row>,
  drawn: number,
  { columns, rows: height }: Size,
  colour: boolean,
  driven: LiveView | null = null
): { readonly text: string; readonly lines: number } => {
  const room = Math.max(1, height - 2)
  const most = Math.max(1, columns - 1)
  const all = [...(driven === null ? [] : linesOf(driven, most)), ...rows.map((row) => workLine(workingOf(row)))]
  const shown = all.length <= room ? all : all.slice(0, room - 1)
  const more = all.length - shown.length
  const lines = [
    ...shown.map((line) => ({ ...line, text: fitting(line.text, most) })).map((line) =>
      colour ? coloured(line) : line.text
    ),
    ...(more === 0 ? [] : [fitting(`... and ${more} more`, most)])
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
    show: Effect.fnUntraced(function*(rows, driven) {
      const { lines, text } = frame(rows, drawn, yield* size, colour, driven)
      yield* put(text, lines)
    }),
    clear: Effect.suspend(() => drawn > 0 ? put(erasing(drawn), 0) : Effect.void)
  }
}

/** Whether lines can be redrawn on a terminal of this environment. */
export const redrawable = Effect.map(variable("TERM"), (terminal) => terminal !== "dumb")

/** Whether people want colours: `FORCE_COLOR` says so, or not with 0 or false, whatever `NO_COLOR` says. */
export const colourWanted = Effect.gen(function*() {
  const forced = yield* variable("FORCE_COLOR")
  return forced === null ? (yield* variable("NO_COLOR")) === null : !/^(?:0|false)$/.test(forced)
})

/** The size of a terminal, also of one that does not tell it. */
export const sizeOf = ({ columns, rows }: Size): Size => ({ columns: columns || 80, rows: rows || 24 })
