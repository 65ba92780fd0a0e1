// Evidence: what the transcript and the journal of a finished review say of it, beside what the log says.
// A contradiction between files and log is a finding. What the files do not show is listed separately.
import type { Envelope } from "../core/log/Frame.ts"
import type { Head } from "../core/log/Head.ts"
import type { EventOf } from "../core/run/Event.ts"
import type { RunState } from "../core/run/Manifest.ts"
import type { BranchName, Target } from "../core/run/Target.ts"
import { oneLine } from "../core/text/Text.ts"
import { slotName } from "../core/text/Phrases.ts"
import { type Banner, banner } from "../core/verdict/Transcript.ts"
import type { Journalled, StoredReview } from "../services/ReviewFiles.ts"

/** How a reviewer was started, by the log: the id of its attempt, and the line that committed it. */
export interface Launched {
  readonly id: string
  readonly line: Head
}

/** A recorded review: where it stands, who recorded it, and what its reviewer was started with. */
export interface Recorded {
  readonly line: number
  readonly version: string | null
  readonly event: EventOf<"ReviewFinished">
  readonly launched: Launched | null
  /** Where it ran: the worktree, or the private repository of an isolated batch. */
  readonly workdir: string
  readonly target: Target
  readonly base: BranchName | null
  /** Whether its run is strict. */
  readonly strict: boolean
}

const versionOf = (by: unknown): string | null =>
  typeof by === "object" && by !== null && "version" in by && typeof by.version === "string" ? by.version : null

/** The review that a line records, in the state of the run before it. */
export const recordedBy = (
  { by, seq }: Envelope,
  event: Recorded["event"],
  { batch, strict, target, worktree }: RunState,
  launched: Launched | null
): Recorded => ({
  line: seq,
  version: versionOf(by),
  event,
  launched,
  workdir: batch._tag === "Started" ? batch.isolated ?? worktree : worktree,
  target,
  base: batch._tag === "Started" ? batch.base : null,
  strict: strict !== undefined
})

/** What the files of a review show: contradictions with the log, and what its transcript and journal do not say. */
export interface Seen {
  readonly transcript: ReadonlyArray<string>
  readonly journal: ReadonlyArray<string>
  readonly unshown: ReadonlyArray<string>
  readonly session: string | null
  readonly model: string | null
  /** The version of codex that its transcript shows. */
  readonly codex: string | null
  /** Whether its transcript was pruned, so that the log cannot be compared with it. */
  readonly pruned?: boolean
}

/** Nothing was looked at. */
export const nothingSeen: Seen = { transcript: [], journal: [], unshown: [], session: null, model: null, codex: null }

/** How codex says what it was asked to review. A sentence of another form is not compared with the target. */
const knownRequest = /^(?:current changes|changes against '.*'|commit [0-9a-f]{7}(?:: .*)?)$/

const isAsked = (asked: string, { base, target }: Recorded): boolean => {
  if (!knownRequest.test(asked)) return true
  if (target._tag === "Uncommitted") return asked === "current changes"
  if (target._tag === "Commit") return asked.startsWith(`commit ${target.sha.slice(0, 7)}`)
  return base === null || asked === `changes against '${base}'`
}

// The state root may have been named through a link; a private repository's place below its run is its own.
const inRun = (path: string): string => /\/runs\/[^/]+\/isolated\/.*$/.exec(path)?.[0] ?? path

const samePlace = (one: string, other: string): boolean => inRun(one) === inRun(other)

const bannerProblems = (shown: Banner, recorded: Recorded): ReadonlyArray<string> => {
  const { asked, effort, sandbox, workdir } = shown
  const { event: { level } } = recorded
  const told = (name: string, value: string, expected: string) =>
    `its transcript shows ${name} ${oneLine(value)}, not ${oneLine(expected)}`
  return [
    ...(effort === null || effort === level ? [] : [told("reasoning effort", effort, level)]),
    ...(sandbox === null || sandbox === "read-only" ? [] : [told("sandbox", sandbox, "read-only")]),
    ...(workdir === null || samePlace(workdir, recorded.workdir) ? [] : [told("workdir", workdir, recorded.workdir)]),
    ...(asked === null || isAsked(asked, recorded) ? [] : [`its transcript shows another request: ${oneLine(asked)}`])
  ]
}

/**
 * What contradicts the journal's record of a reviewer that exited with 0. Its transcript holds standard error, then
 * standard output.
 */
const endProblem = (end: NonNullable<Journalled["end"]>, { log, out }: Recorded["event"]): string | null => {
  if (end.status !== 0) return `its journal says that it exited with ${end.status}`
  const between = log.bytes - end.logBytes - end.outBytes
  return end.outBytes === out.bytes && (between === 0 || between === 1)
    ? null
    : "its journal records other sizes of its streams"
}

const journalProblems = ({ journal }: StoredReview, { event, launched }: Recorded): ReadonlyArray<string> => {
  if (journal === null) return ["no journal says that its reviewer ever began"]
  if (launched === null) return []
  const { id, line } = launched
  if (journal.id !== id) return [`its journal is of another attempt: ${oneLine(journal.id)}`]
  const ended = journal.end === null ? null : endProblem(journal.end, event)
  if (ended !== null) return [ended]
  return journal.line === null || (journal.line.seq === line.seq && journal.line.hash === line.hash)
    ? []
    : [
      `its journal names ${journal.line.seq}:${oneLine(journal.line.hash)} as the line that started it; ` +
      `the log has ${line.seq}:${line.hash}`
    ]
}

/** The words of codex's own record that it would have printed, of a review without findings. */
const explanation = ({ evidence: { session } }: StoredReview): string => {
  const output = session._tag === "Found" ? session.output : null
  if (typeof output !== "object" || output === null || !("overall_explanation" in output)) return ""
  return typeof output.overall_explanation === "string" ? output.overall_explanation.trim() : ""
}

/** What the files of a review show. */
export const seenIn = (stored: StoredReview, recorded: Recorded): Seen => {
  const where = slotName(recorded.event)
  const said = (problem: string): string => `${where}: ${problem}`
  const shown = banner(stored.evidence.logHead)
  const clean = recorded.event.verdict === "Clean"
  const torn = [
    ...(stored.joined ? [] : ["its transcript does not end with its standard output"]),
    ...(clean && !stored.evidence.out.includes(explanation(stored))
      ? ["it printed another review than the one that codex recorded"]
      : [])
  ]
  return {
    transcript: [...torn, ...bannerProblems(shown, recorded)].map(said),
    journal: journalProblems(stored, recorded).map(said),
    unshown: [
      ...(shown.effort === null ? ["reasoning effort"] : []),
      ...(shown.sandbox === null ? ["sandbox"] : []),
      ...(shown.model === null ? ["model"] : []),
      ...(shown.session === null ? ["session"] : []),
      ...(stored.journal !== null && stored.journal.line === null ? ["line of the log that started it"] : [])
    ],
    session: shown.session,
    model: shown.model,
    codex: shown.version
  }
}
