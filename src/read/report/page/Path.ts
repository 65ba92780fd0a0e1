// PathSection: the way of a run: the drawing, its legend, and the same in tables.
import type { BatchPart, BatchVerdict, Counts, LevelPart, PathPart, Step } from "../Path.ts"
import type { Tone } from "../ReportData.ts"
import { isNoUsage, type Usage } from "../../../run/Usage.ts"
import { batchName, counted, shortCount, span } from "../../../text/Phrases.ts"
import { el, folded, instant, mark, type Markup, section, table } from "./Markup.ts"
import { dot, pathChart } from "../PathChart.ts"

const verdicts = {
  Clean: { tone: "good", text: "clean" },
  Waived: { tone: "good", text: "nothing blocks" },
  Issues: { tone: "bad", text: "issues" },
  Failed: { tone: "bad", text: "failed" },
  Unfinished: { tone: "open", text: "not finished" }
} as const satisfies Record<BatchVerdict, { readonly tone: Tone; readonly text: string }>

const verdictOrder: ReadonlyArray<BatchVerdict> = ["Clean", "Waived", "Issues", "Failed", "Unfinished"]

const steps = {
  Began: "begins",
  Climbed: "climbs",
  Dropped: "drops",
  Stayed: "goes on",
  Restarted: "restarts"
} as const satisfies Record<Step, string>

const legend = (batches: ReadonlyArray<BatchPart>): Markup => {
  const used = verdictOrder.filter((verdict) => batches.some((one) => one.verdict === verdict))
  const swatch = (kind: string) =>
    el(
      "svg",
      { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" },
      el("rect", { class: kind, x: 1, y: 1, width: 12, height: 12 })
    )
  const drawn = (of: (counts: Counts) => number) => batches.some(({ counts }) => counts !== null && of(counts) > 0)
  return el(
    "ul",
    { class: "legend" },
    used.map((verdict) =>
      el(
        "li",
        {},
        el("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, dot(verdict, 8, 8, 5)),
        verdicts[verdict].text
      )
    ),
    batches.some(({ rounds }) => rounds.length > 0) ? el("li", {}, el("b", {}, "R1"), " a round of agents") : null,
    batches.some(({ step }) => step === "Restarted") ? el("li", {}, el("b", {}, "┊"), " a restart at the floor") : null,
    drawn((counts) => counts.new) ? el("li", {}, swatch("bar-new"), "new findings") : null,
    drawn((counts) => counts.open - counts.new) ? el("li", {}, swatch("bar-open"), "findings still open") : null,
    drawn((counts) => counts.gone) ? el("li", {}, swatch("bar-gone"), "findings that are gone") : null
  )
}

const tokens = ({ input, output }: Usage): string => input + output === 0 ? "-" : shortCount(input + output)

/** What is open, and about how much more nobody has reported. */
const open = (counts: Counts | null): string => {
  if (counts === null) return "-"
  const { open, unreported: more } = counts
  return more === null ? String(open) : `${open}; about ${more.more} more, ${more.low} to ${more.high}`
}

const row = (one: BatchPart, i: number) => {
  const { counts, from, reviews, rounds, size, step, to, used, verdict, withIssues } = one
  const count = (value: number | undefined) => ({ content: value ?? "-", kind: "number" as const })
  return [
    { content: i + 1, kind: "number" as const },
    { content: batchName(one), kind: "name" as const },
    { content: steps[step], kind: "short" as const },
    { content: mark(verdicts[verdict]), kind: "short" as const },
    { content: `${withIssues} of ${reviews}${reviews === size ? "" : ` (${size} wanted)`}`, kind: "number" as const },
    { content: open(counts) },
    count(counts?.new),
    count(counts?.gone),
    { content: instant(from).replace(/ UTC$/, ""), kind: "short" as const },
    { content: rounds.length === 0 ? "-" : rounds.join(", "), kind: "number" as const },
    { content: span(to - from), kind: "number" as const },
    { content: tokens(used), kind: "number" as const }
  ]
}

const batchTable = (batches: ReadonlyArray<BatchPart>): Markup =>
  table(
    "The batches, in the order in which they began",
    [
      { name: "#", number: true },
      { name: "Batch" },
      { name: "How" },
      { name: "Verdict" },
      { name: "With issues", number: true },
      { name: "Open" },
      { name: "New", number: true },
      { name: "Gone", number: true },
      { name: "Began (UTC)" },
      { name: "Round", number: true },
      { name: "Took", number: true },
      { name: "Tokens", number: true }
    ],
    batches.map(row)
  )

const levelTable = ({ agents, levels }: PathPart): Markup =>
  table(
    "Time and tokens per level",
    [
      { name: "Level" },
      { name: "Batches", number: true },
      { name: "Reviews", number: true },
      { name: "Time of reviewers", number: true },
      { name: "Tokens in", number: true },
      { name: "Tokens out", number: true }
    ],
    [
      ...levels.map(({ batches, level, millis, reviews, used }: LevelPart) => [
        { content: level, kind: "name" as const },
        { content: batches, kind: "number" as const },
        { content: reviews, kind: "number" as const },
        { content: span(millis), kind: "number" as const },
        { content: shortCount(used.input), kind: "number" as const },
        { content: shortCount(used.output), kind: "number" as const }
      ]),
      ...(isNoUsage(agents) ? [] : [[
        { content: "agents", kind: "name" as const },
        { content: "-", kind: "number" as const },
        { content: "-", kind: "number" as const },
        { content: "-", kind: "number" as const },
        { content: shortCount(agents.input), kind: "number" as const },
        { content: shortCount(agents.output), kind: "number" as const }
      ]])
    ]
  )

/** The section. */
export const pathSection = (path: PathPart): Markup =>
  section(
    "path",
    "Path",
    path.batches.length === 0 ? el("p", {}, "No batch has begun yet.") : [
      el(
        "div",
        { class: "wide", tabindex: 0, role: "region", "aria-label": "Drawing of the way through the levels" },
        pathChart(path.batches)
      ),
      legend(path.batches),
      levelTable(path),
      folded(`${counted(path.batches.length, "batch", "batches")} as a table`, batchTable(path.batches), {
        class: "print"
      })
    ]
  )
