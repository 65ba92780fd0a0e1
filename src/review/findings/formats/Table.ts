// Table: the findings of a batch as a table for people, one line a finding.
// A reviewer's text cannot break its line, colour it or run off it.
import { slotsOf } from "../../../run/Batch.ts"
import { estimateOf, estimateText } from "../Estimate.ts"
import type { Thread } from "../History.ts"
import type { FindingsReport, ReportedFinding } from "../Report.ts"
import { placeText, statesOf } from "../words.ts"
import { wholeFile, withoutReview } from "../ReviewedBatch.ts"
import { broken, type Page, plainPage, table } from "../../../text/Paint.ts"
import { batchName, counted } from "../../../text/Phrases.ts"
import { brief, oneLine, tail } from "../../../text/Untrusted.ts"

const widest = { place: 60, title: 110 } as const

const heading = ["#", "PRIO", "STATE", "BY", "PLACE", "NEAR", "FINDING"] as const
type Row = ReadonlyArray<string>

const priority = (of: number | null): string => of === null ? "-" : `P${of}`

/** A place that is too long loses its beginning: the file name and the lines matter most. */
const shortPlace = ({ lines, path }: Parameters<typeof placeText>[0]): string => {
  if (path === null) return "-"
  const text = placeText({ path: tail(path, widest.place), lines })
  const whole = path.length <= widest.place && text.length <= widest.place
  return whole ? text : `...${tail(text, widest.place - 3)}`
}

const row = ({ dismissed, finding, found, near, of, state }: ReportedFinding, index: number): Row => [
  String(index + 1),
  priority(finding.priority),
  dismissed === null ? state : `${state}, dismissed`,
  `${found}/${of}`,
  shortPlace(finding),
  near.slice(0, 4).join(",") || "-",
  brief(finding.title, widest.title)
]

const absentRow = (state: string) => ({ finding }: Thread): Row => [
  "-",
  priority(finding.priority),
  state,
  "-",
  shortPlace(finding),
  "-",
  brief(finding.title, widest.title)
]

const overview = (report: FindingsReport): string => {
  const { batch, findings, run } = report
  const { size } = batch.started
  const done = slotsOf(batch.started, "Finished")
  const flawed = done.filter(({ verdict }) => verdict === "HasIssues").length
  const states = statesOf(report)
  return `${batchName(batch)} of run ${oneLine(run)}: ${done.length} of ${counted(size, "review")} finished, ` +
    `${flawed} with issues; ${counted(findings.length, "finding")}${states === "" ? "" : ` (${states})`}\n`
}

const withName = (cells: Row, name: string): Row => [...cells.slice(0, -1), name, ...cells.slice(-1)]

/** The table after a summary line, then the estimate, reviews without a list, slots without a review. */
export const findingsTable = (report: FindingsReport, page: Page = plainPage): string => {
  const { batch, findings, gone, strict, unread, unseen } = report
  const absent = [...gone.map(absentRow("gone")), ...unseen.map(absentRow("not reported so far"))]
  const rows = [heading, ...findings.map(row), ...absent]
  const names = [...findings, ...gone, ...unseen].map(({ finding }) => finding.fingerprint)
  // In a strict run a finding can be dismissed by its name.
  const shown = strict ? rows.map((cells, i) => withName(cells, names[i - 1] ?? "FINGERPRINT")) : rows
  const left = estimateText(estimateOf(batch))
  const { columns } = page
  return [
    ...broken(overview(report).trimEnd(), columns).map((line) => `${line}\n`),
    names.length === 0 ? "" : table(shown, page),
    left === null ? "" : `${left}\n`,
    ...batch.unlisted.map(({ slot }) =>
      `slot ${slot}: issues without a list of findings, in ${oneLine(wholeFile(batch, slot))}\n`
    ),
    ...withoutReview(batch.started).map(({ slot, why }) => `slot ${slot}: no review: ${brief(why, 400)}\n`),
    ...(batch.dropped === 0 ? [] : [`${counted(batch.dropped, "further finding")} left out, all of lesser weight\n`]),
    ...(unread === 0 ? [] : [`left out: the reviews of ${counted(unread, "earlier batch", "earlier batches")}\n`])
  ].join("")
}
