// WayChart: the way of a review through its levels as a chart of characters, for places that show no pictures.
import { type Level, levels } from "../run/Level.ts"

/** What a batch came to. */
export type Mark = "Clean" | "Issues" | "Failed" | "Unfinished"

/** A batch on the way. */
export interface Point {
  readonly level: Level
  readonly mark: Mark
}

const signs = { Clean: "o", Issues: "x", Failed: "!", Unfinished: "?" } as const satisfies Record<Mark, string>
const meanings = { Clean: "clean", Issues: "issues", Failed: "failed", Unfinished: "unfinished" } as const

/** The most batches beside each other; a longer path shows its last ones. */
const widest = 60

/** Lines of the chart, the highest level first, and what its signs mean. None for a way without a batch. */
export const pathChart = (points: ReadonlyArray<Point>): ReadonlyArray<string> => {
  if (points.length === 0) return []
  const shown = points.slice(-widest)
  const rows = levels.toReversed().filter((level) => shown.some((point) => point.level === level)).map((level) =>
    `${level.padEnd(7)}${shown.map((point) => point.level === level ? signs[point.mark] : "-").join("")}`
  )
  const used = [...new Set(shown.map(({ mark }) => mark))].map((mark) => `${signs[mark]} ${meanings[mark]}`)
  const before = points.length - shown.length
  return [...rows, "", `${used.join(", ")}${before === 0 ? "" : `; ${before} earlier batches are left out`}`]
}
