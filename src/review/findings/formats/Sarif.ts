// Sarif: the findings of a batch as a SARIF 2.1.0 log, for code scanning and viewers.
// Whatever reviewers wrote, the document keeps to the schema; a missing review is a failed execution.
import { slotsOf } from "../../../run/Batch.ts"
import { type Finding, severityOf } from "../Finding.ts"
import type { FindingState, Sightings } from "../History.ts"
import { dismissalText } from "../words.ts"
import type { Dismissal } from "../../../run/Dismissal.ts"
import { type FindingsReport, type ReportedFinding, withoutSecrets } from "../Report.ts"
import { type UnlistedReview, withoutReview } from "../ReviewedBatch.ts"
import { jsonText } from "../../../text/Json.ts"
import { batchName } from "../../../text/Phrases.ts"
import { brief, excerpt } from "../../../text/Untrusted.ts"

const longest = 8000
const sourceRoot = "%SRCROOT%"

const rules = [
  { id: "codex-review/P0", text: "Blocks everything", level: "error" },
  { id: "codex-review/P1", text: "Urgent", level: "error" },
  { id: "codex-review/P2", text: "Normal", level: "warning" },
  { id: "codex-review/P3", text: "Nice to have", level: "note" },
  { id: "codex-review/unrated", text: "The reviewer gave no priority", level: "warning" },
  { id: "codex-review/unlisted", text: "A review with issues without a list of findings", level: "warning" }
] as const
const unlistedRule = rules.length - 1

const ruleOf = (ruleIndex: number) => ({ ruleId: rules[ruleIndex]?.id ?? "codex-review/unrated", ruleIndex })

// In a message braces enclose placeholders unless doubled, and `[text](target)` is a link (3.11.5, 3.11.6).
const literal = (text: string): string => text.replace(/[{}]/g, "$&$&").replace(/\](?=\()/g, "] ")

const message = (title: string, body: string) => {
  const { lines, whole } = excerpt(body, longest)
  const said = [brief(title, 400), "", ...lines, ...(whole ? [] : ["[cut]"])].join("\n").trim()
  return { text: literal(said === "" ? "(no text)" : said) }
}

/**
 * A reference relative to the repository: to a file, or to its root for anything else, since consumers need a location.
 */
const uriOf = (path: string | null): string => {
  const segments = (path ?? "").split("/")
  const inside = path !== null && segments.every((part) => part !== "" && part !== "." && part !== "..")
  // encodeURIComponent throws on half a surrogate pair, and `insideRoot` lets none into a path.
  return inside ? segments.map(encodeURIComponent).join("/") : "."
}

const location = ({ lines, path }: Pick<Finding, "lines" | "path">) => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(path), uriBaseId: sourceRoot },
    ...(path === null || lines === null ? {} : { region: { startLine: lines.start, endLine: lines.end } })
  }
})

const base = (finding: Finding) => ({
  ...ruleOf(finding.priority ?? 4),
  level: severityOf(finding),
  message: message(finding.title, finding.body),
  locations: [location(finding)],
  partialFingerprints: { "oodaFinding/v1": finding.fingerprint }
})

const properties = (finding: Finding, history: FindingState | "gone", seen: Sightings | null) => ({
  priority: finding.priority,
  history,
  detectedBy: finding.detectedBy,
  related: finding.related,
  ...(seen === null ? {} : { firstReported: batchName(seen.first), lastReported: batchName(seen.last) })
})

const suppression = (dismissal: Dismissal) => ({
  kind: "external",
  status: "accepted",
  justification: literal(dismissalText(dismissal))
})

const reported = ({ before, dismissed, finding, found, of, state }: ReportedFinding) => ({
  ...base(finding),
  baselineState: state === "still there" ? "unchanged" : "new",
  suppressions: dismissed === null ? [] : [suppression(dismissed)],
  properties: { ...properties(finding, state, before), reportedBy: found, reviewers: of }
})

// Consumers that ignore baselines must not take a gone finding for an open one.
const absent = (finding: Finding, seen: Sightings) => ({
  ...base(finding),
  baselineState: "absent",
  suppressions: [{ kind: "external", justification: "No reviewer reports it any more." }],
  properties: properties(finding, "gone", seen)
})

const unlisted = ({ body, slot }: UnlistedReview) => ({
  ...ruleOf(unlistedRule),
  level: "warning",
  message: message(`Slot ${slot}: issues without a list of findings`, body),
  locations: [location({ path: null, lines: null })],
  baselineState: "new",
  suppressions: [],
  properties: { detectedBy: [slot] }
})

const notifications = ({ batch, unread }: FindingsReport) => [
  ...withoutReview(batch.started).map(({ slot, state, why }) => ({
    level: state === "Failed" ? "error" : "warning",
    message: { text: literal(`Slot ${slot} of ${batchName(batch)} has no review: ${brief(why, 1000)}`) }
  })),
  ...(unread === 0 ? [] : [{
    level: "note",
    message: { text: `${unread} earlier batches are left out of the history: too much, or not readable.` }
  }])
]

// GitHub shows no result of a log with a failed execution: an execution with findings counts as successful, and its
// notifications name what is missing.
const invocations = (reports: ReadonlyArray<FindingsReport>) => {
  const isFound = reports.some(({ batch, findings }) => findings.length + batch.unlisted.length > 0)
  return reports.map((report) => ({
    executionSuccessful: isFound || slotsOf(report.batch.started, "Finished").length === report.batch.started.size,
    toolExecutionNotifications: notifications(report)
  }))
}

const results = ({ batch, findings, gone }: FindingsReport) => [
  ...findings.map(reported),
  ...batch.unlisted.map(unlisted),
  ...gone.map(({ finding, seen }) => absent(finding, seen))
]

const lastOf = ({ batch, run, target }: FindingsReport) => ({
  // Everything before the slash is the analysis, the same in each run, so that a later log replaces this one.
  automationDetails: { id: `ooda-codex-review/${run}-${batch.level}-${batch.batch}` },
  properties: {
    run,
    target: brief(target, 400),
    level: batch.level,
    batch: batch.batch,
    reviews: slotsOf(batch.started, "Finished").length
  }
})

/** The log of several reviews of the same code as one analysis, without secrets, on one line that ends in a newline. */
export const sarifOf = (all: ReadonlyArray<FindingsReport>, version: string): string => {
  const reports = all.map((report) => withoutSecrets(report, longest))
  const last = reports.at(-1)
  return `${
    jsonText({
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [{
        tool: {
          driver: {
            name: "ooda-codex-review",
            version,
            rules: rules.map(({ id, level, text }) => ({
              id,
              shortDescription: { text },
              defaultConfiguration: { level }
            }))
          }
        },
        originalUriBaseIds: { [sourceRoot]: { description: { text: "The root of the repository." } } },
        // A log without a review must not look like one without findings.
        invocations: last === undefined ? [{ executionSuccessful: false }] : invocations(reports),
        results: reports.flatMap(results),
        ...(last === undefined ? {} : lastOf(last))
      }]
    })
  }\n`
}

/** The log of one review. */
export const sarif = (report: FindingsReport, version: string): string => sarifOf([report], version)
