// Status: one run for a person or a program: its story, how it is, what is open, what agents changed, what to call
// next.
import { Effect, Schema } from "effect"
import { type Limits, unlimited } from "../drive/Budgets.ts"
import { spent } from "../drive/Spending.ts"
import { Tests } from "../drive/Tests.ts"
import { tokensOf } from "../agent/PromptBudget.ts"
import { type Aside, asideText, Snapshots } from "../code/Snapshots.ts"
import { shownName } from "../code/Names.ts"
import type { RunRef } from "../log/Refs.ts"
import { recovered } from "../platform/Note.ts"
import { Progress, workText } from "../review/Progress.ts"
import { inRoundText, Priority } from "../run/Dismissal.ts"
import { Count, version } from "../run/Document.ts"
import { slotsOf } from "../run/Batch.ts"
import { Level } from "../run/Level.ts"
import { RunStore } from "../run/RunStore.ts"
import { jsonText } from "../text/Json.ts"
import { laidOut, type Page, plainPage, type Tone } from "../text/Paint.ts"
import { counted, span, shortCount } from "../text/Phrases.ts"
import { brief, lines, oneLine } from "../text/Untrusted.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { type NextCommand, nextCommands } from "./Commands.ts"
import { type Naming, readerCall } from "../run/Naming.ts"
import type { RunView } from "./Look.ts"
import { findingsPart, type FindingPart, type FindingsPart, readRun } from "./RunFindings.ts"
import { RunFields, runFields, millisecondsOf } from "./Runs.ts"
import { type RunStatus, statusText } from "./RunStatus.ts"
import { reviewsOf, type TestView } from "./RunView.ts"
import { type Beside, type Changes, changesIn, changesText, storyOf, storyText, testsOf } from "./Story.ts"
import { endOf } from "./words.ts"

/** What failed last: the end of what a test printed, and where all of it is; or an agent's or a review's transcript. */
type FailedWork =
  | { readonly _tag: "Test"; readonly tail: ReadonlyArray<string>; readonly log: string }
  | { readonly _tag: "Transcript"; readonly transcript: string }

/** A run with what is read beside its logs. */
export interface Status extends Beside {
  readonly view: RunView
  readonly findings: FindingsPart | null
  readonly failed: FailedWork | null
  readonly aside: Aside | null
  readonly commands: ReadonlyArray<NextCommand>
  readonly naming: Naming
  /** The run that converges a plan's code, or did so last. */
  readonly ladder: Status | null
}

// Rounds whose changes are counted, bytes of a diff that are read for that, lines of a test, findings that are named,
// lines of a page, bytes of reviews that are read of earlier batches, and parts of the story: enough for a screen or
// two, at once.
const bounds = { rounds: 12, diff: 400_000, tail: 5, findings: 3, page: 15, reviews: 256 * 1024, story: 40 } as const

/** What the agents of the last rounds changed, by the numbers of the rounds. */
const roundChanges = Effect.fnUntraced(function*({ drive, ref, rounds }: RunView) {
  if ((drive?.agents.snapshots.length ?? 0) === 0) return new Map<number, Changes>()
  const { diff, list } = yield* Snapshots
  const snapshots = yield* list(ref)
  const found = new Map<number, Changes>()
  for (const { round } of rounds.slice(-bounds.rounds)) {
    const own = snapshots.filter((one) => one.round === round)
    const [first, last] = [own[0], own.at(-1)]
    if (first === undefined || last === undefined || first === last) continue
    const between = { before: first.number, after: last.number }
    found.set(round, changesIn(yield* diff(ref, between, bounds.diff)))
  }
  return found
})

const lastFailed = (view: RunView): TestView | null => {
  const last = testsOf(view).at(-1)
  const standing = last?.state.standing
  return last !== undefined && standing?._tag === "Finished" && standing.finished.exit !== 0 ? last : null
}

const failure = /^\s*not ok |✖|✗|\bFAIL(?:ED|URES?)?\b|\b\w*(?:Error|Exception)\b|^\s*error\b|^E\s|panicked/

/** The last lines of a test or, where they are counts alone, the first ones that name a failure. */
const telling = (all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = all.slice(-bounds.tail)
  const named = all.filter((one) => failure.test(one))
  return named.length === 0 || last.some((one) => !/^\s*#/.test(one)) ? last : named.slice(0, bounds.tail)
}

const failedTest = Effect.fnUntraced(function*(view: RunView) {
  const test = view.status.state === "NeedsYou" ? lastFailed(view) : null
  if (test === null) return null
  const run: RunRef = view.ref
  const { id, test: number } = test.state.started
  const { end } = yield* (yield* Progress).printed({ run, test: number, id })
  const tail = telling(lines(redact(end)).filter((one) => one.trim() !== ""))
  return { _tag: "Test", tail, log: (yield* Tests).place(run, number) } satisfies FailedWork
})

/** The transcript of the agent that failed last. */
const failedAgent = Effect.fnUntraced(function*({ drive, ref, status }: RunView) {
  const standing = status.reason === "AgentFailed" ? drive?.agents.agents.at(-1)?.standing : undefined
  if (standing?._tag !== "Failed" || standing.failed.failure === "Missing") return null
  const transcript = (yield* RunStore).runPlaces(ref).agentTranscript(standing.failed)
  return { _tag: "Transcript", transcript } satisfies FailedWork
})

/** The transcript of the first review of the last batch that failed. */
const failedReview = Effect.fnUntraced(function*({ batches, ref, status }: RunView) {
  const last = status.reason === "ReviewsFailed" ? batches.at(-1) : undefined
  const slot = last === undefined ? undefined : slotsOf(last.started, "Failed").find(({ kind }) => kind !== "Unstarted")
  if (last === undefined || slot === undefined) return null
  const { batch, level } = last
  const { slots } = (yield* RunStore).batchPlaces({ run: ref, level, batch }, last.started.size)
  const place = slots[slot.slot - 1]
  return place === undefined ? null : { _tag: "Transcript", transcript: place.log } satisfies FailedWork
})

/** Reads what a status shows beside the logs. What cannot be read is left out. */
export const statusOfView = (view: RunView, naming: Naming): Effect.Effect<
  Status,
  never,
  | Effect.Services<ReturnType<typeof roundChanges>>
  | Effect.Services<ReturnType<typeof failedTest>>
  | Effect.Services<ReturnType<typeof failedAgent>>
  | Effect.Services<ReturnType<typeof failedReview>>
  | Effect.Services<ReturnType<typeof readRun>>
> =>
  Effect.gen(function*() {
    const read = yield* readRun(view, { budget: bounds.reviews }).pipe(
      Effect.tapError(recovered("findings are left out of the status")),
      Effect.orElseSucceed(() => null)
    )
    const changes = yield* roundChanges(view).pipe(
      Effect.tapError(recovered("what agents changed is left out of the status")),
      Effect.orElseSucceed(() => new Map<number, Changes>())
    )
    return {
      view,
      read,
      changes,
      findings: read === null ? null : findingsPart(read, view.rounds),
      failed: (yield* failedAgent(view)) ?? (yield* failedTest(view)) ?? (yield* failedReview(view)),
      aside: yield* Effect.orElseSucceed((yield* Snapshots).aside(view.ref), () => null),
      commands: nextCommands(view, naming),
      naming,
      ladder: view.ladder === null ? null : yield* statusOfView(view.ladder, naming)
    } satisfies Status
  })

const openFindings = ({ findings }: Status): ReadonlyArray<FindingPart> =>
  findings?.findings.filter(({ state }) => state === "open" || state === "unseen") ?? []

/** What all agents changed, added up over the rounds. */
const allChanges = ({ changes }: Beside): Changes | null => {
  const all = [...changes.values()].filter(({ files }) => files.length > 0)
  return all.length === 0 ? null : all.reduce((sum, one) => ({
    files: [...new Set([...sum.files, ...one.files])],
    added: sum.added + one.added,
    removed: sum.removed + one.removed
  }))
}

// Text

const headText = ({ at, plan, ref, review, updated, worktree }: RunView): string => {
  const what = plan === null ? ref.targetKey : plan.slice(plan.lastIndexOf("/") + 1)
  const since = updated === null ? "" : `, last event ${span(Math.max(0, at - updated))} ago`
  const where = worktree === null ? "" : ` in ${worktree}`
  const strict = review !== null && review.strict === undefined ? ", not strict" : ""
  return `${oneLine(`run ${ref.runId}: ${what}${where}${strict}${since}`)}\n`
}

const amount = (used: string, limit: string | null): string => limit === null ? used : `${used} of ${limit}`

/** What a run has done and used so far; `limits` are those of the call that drives it. */
export const totals = (status: Status, limits: Limits = unlimited): string => {
  const { view } = status
  const { failures, usage } = view
  const { maxRounds, maxTime, maxTokens } = limits
  const kept = view.rounds.filter(({ undone }) => !undone)
  const changes = new Map([...status.changes].filter(([round]) => kept.some((one) => one.round === round)))
  const answers = kept.filter((round) => endOf(round).tone !== "bad").flatMap((round) => round.answers)
  const fixed = new Set(answers.filter(({ answer }) => answer === "fixed").map((one) => one.fingerprint)).size
  const changed = allChanges({ changes, read: null })
  const time = millisecondsOf(view)
  const tokens = tokensOf(usage.reviews) + tokensOf(usage.agents)
  return [
    `${counted(reviewsOf(view), "review")}${failures === 0 ? "" : ` (${failures} failed)`}`,
    ...(maxRounds === null || view.rounds.length === 0 ? [] : [`round ${view.rounds.length} of ${maxRounds}`]),
    ...(fixed === 0 ? [] : [`${counted(fixed, "finding")} fixed`]),
    ...(changed === null ? [] : [changesText(changed)]),
    ...(spent(usage) !== null || maxTokens !== null
      ? [`${amount(shortCount(tokens), maxTokens === null ? null : shortCount(maxTokens))} tokens`]
      : []),
    ...(time === null ? [] : [amount(span(time), maxTime === null ? null : span(maxTime))])
  ].join(", ")
}

/** Where to read what failed, below at most `room` lines of what a test printed. */
const failedLines = (failed: FailedWork, room: number): ReadonlyArray<string> =>
  failed._tag === "Transcript"
    ? [`  transcript: ${oneLine(failed.transcript)}`]
    : [
      ...(room <= 0 ? [] : failed.tail.slice(-room)).map((one) => `  | ${brief(one, 110)}`),
      `  log: ${oneLine(failed.log)}`
    ]

const findingLine = ({ place, priority, title }: FindingPart): string =>
  `  ${priority === null ? "--" : `P${priority}`}  ${brief(place, 60)}  ${brief(title, 110)}`

const openLines = (status: Status): ReadonlyArray<string> => {
  const open = openFindings(status)
  const left = open.length - bounds.findings
  const more = left > 0 ? [`  and ${left} more: ${readerCall("findings --all", status.naming)}`] : []
  return open.length === 0 ? [] : ["open:", ...open.slice(0, bounds.findings).map(findingLine), ...more]
}

/** The file in which a run that gave up found something most often. */
const regionLines = ({ read, view }: Status): ReadonlyArray<string> => {
  if (view.status.reason !== "GaveUp" || read === null) return []
  const counts = new Map<string, number>()
  const found = read.history.chapters.flatMap(({ tracked }) => tracked)
  for (const { finding: { path } } of found) {
    if (path !== null) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most === undefined || most[1] < 2
    ? []
    : [`does not converge: ${brief(most[0], 100)} (${most[1]} of ${found.length} findings)`]
}

const commandLines = (commands: ReadonlyArray<NextCommand>): ReadonlyArray<string> => {
  const widest = Math.max(0, ...commands.map(({ what }) => what.length))
  return commands.map(({ command, what }) => `${`${what}:`.padEnd(widest + 1)}  ${command}`)
}

const paragraphs = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join("\n")

const workLines = ({ work }: RunView): ReadonlyArray<string> => work.map((row) => `  ${oneLine(workText(row))}`)

const storyPart = (status: Status, page: Page): string => {
  const all = storyOf(status.view, status)
  const left = Math.max(0, all.length - bounds.story)
  const more = left === 0
    ? ""
    : `         ${left} earlier parts are left out here: ${readerCall("report", status.naming)} shows them\n`
  return more + all.slice(left).map((one) => laidOut(storyText(one), one.tone, page)).join("")
}

/** The line above the story. */
export const headPage = (view: RunView, page: Page = plainPage): string => laidOut(headText(view), "neutral", page)

const tones = {
  Running: "neutral",
  Interrupted: "open",
  NeedsYou: "open",
  Done: "good",
  Unreadable: "bad",
  Empty: "neutral"
} as const satisfies Record<RunStatus["state"], Tone>

/** What comes below the story, in at most 15 lines beside running work: how the run is, what is open, what to call. */
export const endPage = (status: Status, page: Page = plainPage): string => {
  const { aside, commands, failed, ladder, view } = status
  const { state } = view.status
  const open = state === "Done" ? [] : openLines(ladder ?? status)
  const rest = [
    ...regionLines(ladder ?? status),
    ...(state === "Empty" ? [] : [totals(status)]),
    ...open,
    ...(view.review?.dismissed ?? []).flatMap(({ fingerprint, inRound }) =>
      inRound === undefined ? [] : [`${fingerprint} was dismissed ${inRoundText(inRound)}`]
    ),
    ...(aside === null ? [] : [asideText(aside)]),
    ...commandLines(commands)
  ]
  const room = Math.min(bounds.tail, bounds.page - 2 - rest.length)
  const test = failed === null ? [] : failedLines(failed, room)
  const all = [statusText(view.status), ...workLines(view), ...test, ...rest]
  return laidOut(all.map((one) => `${one}\n`).join(""), tones[state], page)
}

/** A run as a text: its story, how it is, and what to call. */
export const statusPage = (status: Status, page: Page = plainPage): string => {
  const { ladder } = status
  const below = ladder === null ? "" : headPage(ladder.view, page) + storyPart(ladder, page)
  return paragraphs(headPage(status.view, page), storyPart(status, page), below, endPage(status, page))
}

// Document

const ToneName = Schema.Literals(["Good", "Bad", "Open", "Neutral"]).transform(["good", "bad", "open", "neutral"])
const Instant = Schema.NullOr(Schema.String)
const At = Schema.NullOr(Schema.Struct({ level: Level, batch: Count }))

const WorkRow = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(
    ["Queued", "Running", "Ended", "Clean", "Issues", "Retrying", "Failed", "Stopped", "Waiting"]
  ).transform(["queued", "running", "ended", "clean", "issues", "retrying", "failed", "stopped", "waiting"]),
  elapsed: Schema.NullOr(Count),
  silentFor: Schema.NullOr(Count),
  activity: Schema.String
})

/** The document of `status --json`, and of each change with `--follow`. */
export class StatusDocument extends Schema.Class<StatusDocument>("Status")({
  schema: version,
  at: Schema.String,
  ...RunFields.fields,
  /** The process that drives the run, or did so last. */
  driver: Schema.NullOr(Schema.Struct({ pid: Count, since: Schema.String, outcome: Schema.NullOr(Schema.String) })),
  history: Schema.Struct({
    batches: Schema.Array(Schema.Struct({
      level: Level,
      batch: Count,
      verdict: Schema.Literals(["Clean", "Waived", "Issues", "Failed", "Stopped", "Unfinished"]),
      size: Count,
      from: Schema.String,
      to: Schema.String
    })),
    rounds: Schema.Array(Schema.Struct({
      round: Count,
      kind: Schema.Literals(["Address", "Retrospective", "Tasks"]),
      about: At,
      tasks: Schema.Array(Schema.Struct({ index: Count, title: Schema.String })),
      findings: Count,
      tone: ToneName,
      text: Schema.String,
      from: Schema.String,
      to: Instant,
      changes: Schema.NullOr(Schema.Struct({
        files: Schema.Array(Schema.String),
        added: Count,
        removed: Count
      }))
    }))
  }),
  /** The findings that are open; null for a run without reviews of its own. */
  open: Schema.NullOr(Schema.Array(Schema.Struct({
    fingerprint: Schema.String,
    priority: Schema.NullOr(Priority),
    place: Schema.String,
    title: Schema.String
  }))),
  work: Schema.Array(WorkRow),
  /** What undo has moved aside, because nothing else holds it. */
  aside: Schema.NullOr(Schema.Struct({ directory: Schema.String, bytes: Count, files: Schema.Array(Schema.String) })),
  commands: Schema.Array(Schema.Struct({ what: Schema.String, command: Schema.String })),
  /** The run that converges a plan's code, or did so last. */
  converges: Schema.NullOr(RunFields)
}) {}

const iso = (at: number): string => new Date(at).toISOString()

/** The status as a document. */
export const statusDocument = (status: Status): typeof StatusDocument.Encoded => {
  const { aside, changes, commands, findings, ladder, view } = status
  const driver = view.drive?.drivers.at(-1)
  return Schema.encodeSync(StatusDocument)(StatusDocument.make({
    at: iso(view.at),
    ...runFields(view),
    driver: driver === undefined ? null : { pid: driver.pid, since: iso(driver.since), outcome: driver.outcome },
    history: {
      batches: view.batches.map(({ batch, from, level, started, to, verdict }) => ({
        level,
        batch,
        verdict,
        size: started.size,
        from: iso(from),
        to: iso(to)
      })),
      rounds: view.rounds.map((one) => ({
        round: one.round,
        kind: one.kind,
        about: one.about,
        tasks: one.tasks,
        findings: one.findings.length,
        ...endOf(one),
        from: iso(one.from),
        to: one.to === null ? null : iso(one.to),
        changes: changes.get(one.round) ?? null
      }))
    },
    open: findings === null
      ? null
      : openFindings(status).map(({ fingerprint, place, priority, title }) => ({
        fingerprint,
        place,
        priority,
        title
      })),
    work: view.work,
    aside: aside === null ? null : { ...aside, files: aside.files.map(shownName) },
    commands,
    converges: ladder === null ? null : runFields(ladder.view)
  }))
}

/** The status as one document on one line. */
export const statusJson = (status: Status): string => `${jsonText(statusDocument(status))}\n`
