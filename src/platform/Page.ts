// Page: the abilities of this process's terminal.
import { isatty } from "node:tty"
import { Effect } from "effect"
import { isColourWanted, type Page } from "../text/Paint.ts"
import { Environment, variable } from "./Environment.ts"

/** The size of a terminal in characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** The size of a terminal, with defaults if it is unknown. */
export const sizeOf = ({ columns, rows }: Size): Size => ({ columns: columns || 80, rows: rows || 24 })

/** Whether lines can be redrawn on a terminal of this environment. */
export const redrawable = Effect.map(variable("TERM"), (terminal) => terminal !== "dumb")

/** Whether people of this environment want colours. */
export const colourWanted = Effect.map(Environment, isColourWanted)

/** The page behind standard output: a terminal of so many columns, or null if it is no terminal. */
export const outputPage = (columns: number | null): Effect.Effect<Page, never, Effect.Services<typeof redrawable>> =>
  Effect.map(Effect.all([redrawable, colourWanted]), ([drawable, wanted]): Page => ({
    columns: columns === null ? null : columns || 80,
    colour: columns !== null && drawable && wanted
  }))

/** The page behind standard error. A terminal may be resized meanwhile. */
export const errorPage = Effect.map(Effect.all([redrawable, colourWanted]), ([drawable, wanted]) => (): Page => {
  const terminal = isatty(2)
  return { columns: terminal ? sizeOf(process.stderr).columns : null, colour: terminal && drawable && wanted }
})
