// Drawing: rows redrawn in place on a terminal.
// It erases only what it has drawn.
import { Effect } from "effect"
import { type Row, type RowState, rowText } from "../../core/loop/Row.ts"
import { variable } from "../../services/Environment.ts"
import { cut } from "../../core/text/Untrusted.ts"
import type { Watcher } from "../../services/Progress.ts"
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
    on: true,
    tail: tailOf,
    show: Effect.fnUntraced(function*(rows) {
      const { lines, text } = frame(rows, drawn, yield* size, colour)
      yield* put(text, lines)
    }),
    clear: Effect.suspend(() => drawn > 0 ? put(erasing(drawn), 0) : Effect.void)
  }
}

/** Whether lines can be redrawn on a terminal of this environment. */
export const redrawable = Effect.map(variable("TERM"), (terminal) => terminal !== "dumb")

/** Whether people want colours. */
export const colourWanted = Effect.map(variable("NO_COLOR"), (text) => text === null)

/** The size of a terminal, also of one that does not tell it. */
export const sizeOf = ({ columns, rows }: Size): Size => ({ columns: columns || 80, rows: rows || 24 })
