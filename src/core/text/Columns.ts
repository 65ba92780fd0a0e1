// Columns: rows of cells as the lines of a table for people.
import { oneLine } from "./Text.ts"

/** One line a row, each column as wide as its widest cell, two spaces between columns, none at the end of a line. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const shown = rows.map((row) => row.map(oneLine))
  const widths: Array<number> = []
  for (const row of shown) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return shown.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd()}\n`).join("")
}
