// PathChart: the way through the levels, and below it the findings of each batch, as one drawing.
// Nothing is told by colour alone: each verdict has a shape of its own, and a table says the same in words.
import type { BatchPart, BatchVerdict } from "./Path.ts"
import { type Level, levels, rank } from "../../run/Level.ts"
import { batchName, counted } from "../../text/Phrases.ts"
import { el, type Markup } from "./page/Markup.ts"

const size = { left: 64, right: 24, top: 16, row: 44, gap: 36, bars: 72, bottom: 28, width: 900, narrow: 480 } as const
const step = { least: 7, most: 64 } as const

/** How far two batches are apart: as far as the page is wide, and never so close that their marks cannot be told. */
const spacing = (count: number): number =>
  Math.max(step.least, Math.min(step.most, (size.width - size.left - size.right) / Math.max(1, count)))

const kinds = {
  Clean: "dot-clean",
  Waived: "dot-waived",
  Issues: "dot-issues",
  Failed: "dot-failed",
  Unfinished: "dot-unfinished"
} as const satisfies Record<BatchVerdict, string>

/** The mark of a verdict: a disc, a ring, a diamond, a cross, a square. */
export const dot = (verdict: BatchVerdict, x: number, y: number, r: number, title: string | null = null): Markup => {
  const name = title === null ? null : el("title", {}, title)
  const drawn = { class: kinds[verdict] }
  switch (verdict) {
    case "Clean":
    case "Waived":
      return el("circle", { ...drawn, cx: x, cy: y, r }, name)
    case "Issues":
      return el(
        "path",
        { ...drawn, d: `M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z` },
        name
      )
    case "Failed":
      return el(
        "path",
        { ...drawn, d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}` },
        name
      )
    case "Unfinished":
      return el("rect", { ...drawn, x: x - r, y: y - r, width: 2 * r, height: 2 * r }, name)
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10

/** The levels that the batches were at, and those between them. */
const rungs = (batches: ReadonlyArray<BatchPart>): ReadonlyArray<Level> => {
  const ranks = batches.map(({ level }) => rank(level))
  return levels.filter((level) => rank(level) >= Math.min(...ranks) && rank(level) <= Math.max(...ranks)).toReversed()
}

const told = (one: BatchPart): string =>
  `${batchName(one)}: ${one.verdict.toLowerCase()}, ${one.withIssues} of ${
    counted(one.reviews, "review")
  } with issues` +
  (one.counts === null ? "" : `; ${one.counts.open} open, ${one.counts.new} new, ${one.counts.gone} gone`) +
  (one.rounds.length === 0 ? "" : `; answered in round ${one.rounds.join(", ")}`)

/** The bars of one batch: what is open goes up, with what is new of it at its foot; what is gone goes down. */
const bars = ({ counts }: BatchPart, x: number, width: number, zero: number, scale: number): Markup | null => {
  if (counts === null || counts.open + counts.gone === 0) return null
  const [open, fresh, gone] = [counts.open * scale, counts.new * scale, counts.gone * scale].map(rounded)
  const bar = (kind: string, y: number, height: number | undefined) =>
    height === undefined || height === 0
      ? null
      : el("rect", { class: kind, x: rounded(x - width / 2), y: rounded(y), width: rounded(width), height })
  return el(
    "g",
    {},
    bar("bar-open", zero - (open ?? 0), open),
    bar("bar-new", zero - (fresh ?? 0), fresh),
    bar("bar-gone", zero, gone)
  )
}

/** What stands above a mark: the rounds of agents after the batch, by their numbers where there is room for them. */
const round = ({ rounds }: BatchPart, x: number, y: number, dx: number): Markup | null => {
  const [first] = rounds
  if (first === undefined) return null
  return dx >= 28
    ? el("text", { class: "round", x, y: y - 11, "text-anchor": "middle" }, `R${first}${rounds.length > 1 ? "+" : ""}`)
    : el("line", { class: "round", x1: x, x2: x, y1: y - 13, y2: y - 8 })
}

/** The drawing; its words stand in the table beside it. */
export const pathChart = (batches: ReadonlyArray<BatchPart>): Markup => {
  const rows = rungs(batches)
  const dx = spacing(batches.length)
  const radius = Math.min(6, Math.max(2.5, dx / 2 - 1))
  const width = Math.ceil(size.left + size.right + dx * batches.length)
  const chart = size.top + rows.length * size.row
  const [up, down] = [
    Math.max(0, ...batches.map(({ counts }) => counts?.open ?? 0)),
    Math.max(0, ...batches.map(({ counts }) => counts?.gone ?? 0))
  ]
  const scale = up + down === 0 ? 0 : size.bars / (up + down)
  const zero = chart + size.gap + up * scale
  const height = (up + down === 0 ? chart : chart + size.gap + size.bars) + size.bottom
  const xOf = (i: number): number => rounded(size.left + dx * (i + 0.5))
  const yOf = (level: Level): number => size.top + size.row * (rows.indexOf(level) + 0.5)
  // Every tenth batch of many has its number.
  const every = [1, 2, 5, 10, 20, 50, 100].find((one) => one * dx >= 28) ?? 100
  return el(
    "svg",
    {
      class: width <= size.narrow ? "small" : null,
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-labelledby": "path-chart-title path-chart-text"
    },
    el("title", { id: "path-chart-title" }, "The way through the levels"),
    el(
      "desc",
      { id: "path-chart-text" },
      `${
        counted(batches.length, "batch", "batches")
      } in the order in which they began. The table below tells each of them.`
    ),
    rows.map((level) => [
      el("line", { class: "grid", x1: size.left, x2: width - size.right, y1: yOf(level), y2: yOf(level) }),
      el("text", { x: size.left - 12, y: yOf(level) + 4, "text-anchor": "end" }, level)
    ]),
    el("polyline", { class: "way", points: batches.map(({ level }, i) => `${xOf(i)},${yOf(level)}`).join(" ") }),
    batches.map(({ step }, i) => {
      const x = rounded(xOf(i) - dx / 2)
      return step === "Restarted" ? el("line", { class: "restart", x1: x, x2: x, y1: size.top, y2: chart }) : null
    }),
    batches.map((one, i) => dot(one.verdict, xOf(i), yOf(one.level), radius, told(one))),
    batches.map((one, i) => round(one, xOf(i), yOf(one.level), dx)),
    up + down === 0 ? null : [
      el("line", { class: "grid", x1: size.left, x2: width - size.right, y1: rounded(zero), y2: rounded(zero) }),
      el("text", { x: size.left - 12, y: rounded(zero) + 4, "text-anchor": "end" }, "findings"),
      up === 0 ? null : el("text", { x: size.left - 12, y: rounded(zero - up * scale) + 8, "text-anchor": "end" }, up),
      batches.map((one, i) => bars(one, xOf(i), Math.min(24, dx * 0.7), zero, scale))
    ],
    batches.map((_, i) =>
      i % every === 0 ? el("text", { x: xOf(i), y: height - 8, "text-anchor": "middle" }, i + 1) : null
    )
  )
}
