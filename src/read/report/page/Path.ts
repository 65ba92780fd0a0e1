// Path: the way of a run in tables.
import type { BatchVerdict, Step } from "../../RunView.ts"
import type { BatchPart, Counts, LevelPart, PathPart } from "../Path.ts"
import type { Tone } from "../../../text/Paint.ts"
import { isNoUsage, type Usage } from "../../../run/Usage.ts"
import { batchName, counted, shortCount, span } from "../../../text/Phrases.ts"
import { el, folded, instant, mark, type Markup, section, table } from "./Markup.ts"

// The path of a run through its levels, as two tables.

const verdicts = {
  Clean: { tone: "good", text: "clean" },
  Waived: { tone: "good", text: "nothing blocks" },
  Issues: { tone: "bad", text: "issues" },
  Failed: { tone: "bad", text: "failed" },
  Stopped: { tone: "open", text: "stopped" },
  Unfinished: { tone: "open", text: "not finished" }
} as const satisfies Record<BatchVerdict, { readonly tone: Tone; readonly text: string }>

const steps = {
  Began: "begins",
  Climbed: "climbs",
  Dropped: "drops",
  Stayed: "goes on",
  Restarted: "restarts"
} as const satisfies Record<Step, string>

const tokens = ({ input, output }: Usage): string => input + output === 0 ? "-" : shortCount(input + output)

/** The open findings, and the estimated number of unreported ones. */
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

// Longer tables are folded, so that the findings are not far below.
const longest = 40

/** The section. */
export const pathSection = (path: PathPart): Markup => {
  const { batches } = path
  const table = batchTable(batches)
  return section(
    "path",
    "Path",
    batches.length === 0 ? el("p", {}, "No batch has begun yet.") : [
      batches.length > longest ? folded(counted(batches.length, "batch", "batches"), table, { class: "print" }) : table,
      levelTable(path)
    ]
  )
}
