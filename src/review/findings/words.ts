// words: what the formats of findings share: names of places and priorities, blocks, lists that are cut.
// A reviewer's text is in a fence or on one line of bounded length.
import type { Dismissal } from "../../run/Dismissal.ts"
import { brief, excerpt, fence, oneLine } from "../../text/Untrusted.ts"
import type { Finding, Report } from "./Finding.ts"
import { countOf, type FindingsReport } from "./Report.ts"

const bounds = { title: 400, path: 300, line: 160, reason: 1000 } as const

/** `path:10-12`, `path:10`, `path`, or a note that no place was named. On one line, of bounded length. */
export const placeText = ({ lines, path }: Pick<Finding, "lines" | "path">): string => {
  if (path === null) return "no place in the repository"
  const at = brief(path, bounds.path)
  if (lines === null) return at
  return lines.start === lines.end ? `${at}:${lines.start}` : `${at}:${lines.start}-${lines.end}`
}

/** `P1`, or a note that the reviewer gave no priority. */
export const priorityName = ({ priority }: Pick<Finding, "priority">): string =>
  priority === null ? "no priority" : `P${priority}`

/** A place, a title and a body as one fenced block. If the body is cut, a line after it says where the rest is. */
export const block = (
  wrote: Pick<Report, "title" | "body" | "path" | "lines">,
  most: number,
  whole: string
): string => {
  const { lines, whole: all } = excerpt(wrote.body, most)
  const body = wrote.body.trim() === "" ? [] : ["", ...lines]
  const entire = all && wrote.title.length <= bounds.title && (wrote.path ?? "").length <= bounds.path
  return fence([placeText(wrote), brief(wrote.title, bounds.title), ...body]) +
    (entire ? "" : `\n\nCut here; the whole of it is in ${oneLine(whole)}`)
}

/** A finding on one line, for lists. */
export const lineOf = (finding: Finding): string =>
  `${priorityName(finding)}  ${placeText(finding)}  ${brief(finding.title, bounds.line)}`

/** The states of a report's findings in a few words. */
export const statesOf = (report: FindingsReport): string =>
  [
    ...(["new", "still there", "came back"] as const).map((state) => [countOf(report, state), state] as const),
    [report.findings.filter(({ dismissed }) => dismissed !== null).length, "dismissed"] as const,
    [report.gone.length, "gone"] as const,
    [report.unseen.length, "not reported so far"] as const
  ].filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`).join(", ")

/** A dismissal on one line: its reason, its scope, since when and how long. */
export const dismissalText = ({ at, reason, scope, until }: Dismissal): string =>
  `Dismissed for the ${scope} on ${brief(at.slice(0, 10), 10)}${until === null ? "" : `, until ${until}`}: ` +
  brief(reason, bounds.reason)

/** The sections of the first items, as many as fit, and how many items were left out. */
export const sectionsWithin = <A>(
  items: ReadonlyArray<A>,
  write: (item: A, index: number) => string,
  most: number
): { readonly text: string; readonly left: number } => {
  const sections: Array<string> = []
  let length = 0
  for (const [index, item] of items.entries()) {
    const section = write(item, index)
    length += section.length + 1
    if (length > most) break
    sections.push(section)
  }
  return { text: sections.join("\n"), left: items.length - sections.length }
}

/** Where the paths lead, and which files to read beside the document. */
export const whereabouts = (root: string, transcripts: string): string =>
  `Paths are relative to ${brief(root, 1000)}\nThe reviewers' transcripts: ${oneLine(transcripts)}`
