// Annotations: findings as workflow commands of GitHub Actions, which become annotations of the files they name.
// Each finding is one line. No text of a reviewer can end a line, a property or a command.
import { type Severity, severityOf } from "../Finding.ts"
import { type FindingsReport, type ReportedFinding, withoutSecrets } from "../Report.ts"
import { dismissalText } from "../words.ts"
import { type UnlistedReview, wholeFile, withoutReview } from "../ReviewedBatch.ts"
import { batchName } from "../../../text/Phrases.ts"
import { brief, cut, excerpt, oneLine } from "../../../text/Untrusted.ts"

// GitHub shows no longer messages, and cuts titles at 255.
const most = { message: 4000, title: 200 } as const

const commands = { error: "error", warning: "warning", note: "notice" } as const satisfies Record<Severity, string>

/** A message in the syntax after the second `::`. */
export const escapeData = (text: string): string =>
  text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A")

/** A value of a property. */
export const escapeProperty = (text: string): string => escapeData(text).replace(/:/g, "%3A").replace(/,/g, "%2C")

/** A workflow command on one line. Properties without a value are left out. */
const command = (
  name: string,
  properties: ReadonlyArray<readonly [string, string | number | null]>,
  message: string
): string => {
  const given = properties.flatMap(([key, value]) => value === null ? [] : [`${key}=${escapeProperty(String(value))}`])
  return `::${name}${given.length === 0 ? "" : ` ${given.join(",")}`}::${escapeData(message)}\n`
}

const text = (body: string): string => {
  const { lines, whole } = excerpt(body, most.message)
  return lines.join("\n") + (whole ? "" : "\n[cut]")
}

const finding = ({ dismissed, finding: one, found, of, state }: ReportedFinding): string => {
  const { body, lines, path, priority, title } = one
  const said = body.trim() === "" ? brief(title, most.message) : text(body)
  const file = path === null ? null : oneLine(cut(path, 1000))
  const note = dismissed === null ? "" : `\n${dismissalText(dismissed)}`
  return command(dismissed === null ? commands[severityOf(one)] : commands.note, [
    ["file", file],
    ["line", file === null ? null : lines?.start ?? null],
    ["endLine", file === null ? null : lines?.end ?? null],
    ["title", brief(`${priority === null ? "" : `[P${priority}] `}${title}`, most.title)]
  ], `${said}\n\n[${state}; reported by ${found} of ${of} reviewers]${note}`)
}

const unlisted = ({ body, slot }: UnlistedReview, { batch }: FindingsReport): string => {
  const said = body.trim() === "" ? `Nothing is left of it in ${oneLine(wholeFile(batch, slot))}` : text(body)
  const title = `Slot ${slot} of ${batchName(batch)}: issues without a list of findings`
  return command(commands.warning, [["title", title]], said)
}

const ofReport = (whole: FindingsReport): ReadonlyArray<string> => {
  const report = withoutSecrets(whole, most.message)
  return [
    ...report.findings.map(finding),
    ...report.batch.unlisted.map((one) => unlisted(one, report)),
    ...withoutReview(report.batch.started).map(({ slot, why }) => {
      const title = `Slot ${slot} of ${batchName(report.batch)} has no review`
      return command(commands.error, [["title", title]], brief(why, 1000))
    })
  ]
}

/** What GitHub shows of a step's annotations of each kind. */
const mostShown = 10

/** A notice that not all annotations are shown, or nothing. It is an annotation too, and comes before all others. */
const unshown = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = Object.values(commands).map((name) => lines.filter((line) => line.startsWith(`::${name}`)).length)
  const hidden = counts.reduce((sum, count) => sum + Math.max(0, count - mostShown), 0)
  if (hidden === 0) return []
  const text = `GitHub shows ${mostShown} errors, ${mostShown} warnings and ${mostShown} notices of a step: ` +
    `${hidden} of these ${lines.length} are not shown. The log of the step has all of them.`
  return [command(commands.note, [["title", "Not all findings are shown"]], text)]
}

/** The annotations of batches without secrets, the gravest first; slots without a review come last, as errors. */
export const annotations = (reports: ReadonlyArray<FindingsReport>): string => {
  const lines = reports.flatMap(ofReport)
  return [...unshown(lines), ...lines].join("")
}
