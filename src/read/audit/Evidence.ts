// Evidence: checks a review against its transcript and journal.
import type { Envelope } from "../../log/Frame.ts"
import type { Head } from "../../log/StreamKind.ts"
import type { AttemptJournal, StoredReview } from "../../review/ReviewFiles.ts"
import { type Banner, banner } from "../../review/verdict/Transcript.ts"
import type { EventOf } from "../../run/Event.ts"
import type { RunState } from "../../run/Manifest.ts"
import type { BranchName, Target } from "../../run/Target.ts"
import { batchName, slotName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"

// What an audit remembers of a run's reviewers, to compare them and to report what their files do not show.
// It is changed in place, because a run may have very many reviewers. Only few batches are remembered.

/**
 * The evidence of a batch's reviewers: the model of the first transcript, the version of codex if all have the same,
 * the versions of this program that recorded them, the digests of their programs, and for each missing fact the slots.
 */
interface BatchEvidence {
  model: string | null
  readonly codex: Set<string | null>
  readonly recordedBy: Set<string>
  readonly programs: Set<string>
  readonly unshown: Map<string, Array<number>>
  readonly pruned: Array<number>
}

export interface Witness {
  /** The ids of all attempts, and the sessions of all reviews. */
  readonly attempts: Set<string>
  readonly sessions: Set<string>
  /** How the open attempts were started, by their slots. */
  readonly launched: Map<string, Launched>
  readonly batches: Map<string, BatchEvidence>
}

/** Before the first reviewer. */
export const newWitness = (): Witness => ({
  attempts: new Set(),
  sessions: new Set(),
  launched: new Map(),
  batches: new Map()
})

/** Remembers an attempt that a line started. Returns what is wrong with it, or null. */
export const noteStart = (witness: Witness, event: EventOf<"ReviewStarted">, line: Head): string | null => {
  const known = witness.attempts.has(event.id)
  witness.attempts.add(event.id)
  witness.launched.set(slotName(event), { id: event.id, line, program: event.program ?? null })
  return known ? "an earlier attempt has the same id" : null
}

/** How the attempt of a review was started, by the log. */
export const takeLaunched = (witness: Witness, event: EventOf<"ReviewFinished">): Launched | null => {
  const launched = witness.launched.get(slotName(event)) ?? null
  witness.launched.delete(slotName(event))
  return launched
}

/** Remembers the evidence of a review. Returns its contradictions to other reviews. */
export const noteSeen = (
  witness: Witness,
  event: EventOf<"ReviewFinished">,
  seen: Seen,
  by: { readonly version: string | null; readonly program: string | null } = { version: null, program: null }
): ReadonlyArray<string> => {
  const { codex, model, session, unshown } = seen
  const name = batchName(event)
  const batch: BatchEvidence = witness.batches.get(name) ?? {
    model,
    codex: new Set(),
    recordedBy: new Set(),
    programs: new Set(),
    unshown: new Map(),
    pruned: []
  }
  witness.batches.set(name, batch)
  batch.codex.add(codex)
  if (by.version !== null) batch.recordedBy.add(by.version)
  if (by.program !== null) batch.programs.add(by.program)
  for (const what of unshown) batch.unshown.set(what, [...(batch.unshown.get(what) ?? []), event.slot])
  if (seen.pruned === true) batch.pruned.push(event.slot)
  const again = session !== null && witness.sessions.has(session)
  if (session !== null) witness.sessions.add(session)
  const said = (problem: string): string => `${slotName(event)}: ${problem}`
  const problems = again ? [said(`its session ${session} also belongs to another review`)] : []
  if (model !== null && batch.model !== null && model !== batch.model) {
    const [one, other] = [oneLine(model), oneLine(batch.model)]
    problems.push(said(`its transcript shows model ${one}, but another reviewer of the batch shows ${other}`))
  }
  batch.model ??= model
  return problems
}

/** The programs behind a batch: what all its transcripts agree on, and what its lines say. */
export interface Programs {
  readonly model: string | null
  readonly codex: string | null
  readonly recordedBy: ReadonlyArray<string>
  /** The sha256 of each program that a reviewer was started with. */
  readonly digests: ReadonlyArray<string>
}

/** The programs behind a batch. */
export const programsOf = (witness: Witness, name: string): Programs => {
  const { codex, model, programs, recordedBy } = witness.batches.get(name) ??
    { codex: [], model: null, programs: [], recordedBy: [] }
  const [one = null, ...others] = codex
  return {
    model,
    codex: others.length === 0 ? one : null,
    recordedBy: [...recordedBy].sort(),
    digests: [...programs].sort()
  }
}

/** Forgets the evidence of all batches but these. */
export const keepBatches = (witness: Witness, names: ReadonlySet<string>): void => {
  for (const name of witness.batches.keys()) if (!names.has(name)) witness.batches.delete(name)
}

/** The missing facts about the reviewers of a batch, one sentence each. */
export const unshownBy = (witness: Witness, name: string): ReadonlyArray<string> =>
  [...(witness.batches.get(name)?.unshown ?? [])].map(([what, slots]) =>
    `${name}: nothing shows the ${what} of slot ${slots.join(", ")}`
  )

/** The slots of a batch whose transcripts were pruned, in a sentence, or none. */
export const prunedBy = (witness: Witness, name: string): ReadonlyArray<string> => {
  const slots = witness.batches.get(name)?.pruned ?? []
  const of = `of slot ${slots.join(", ")}`
  return slots.length === 0 ? [] : [`${name}: the transcript ${of} was pruned, so that its review cannot be checked`]
}

// What the transcript and the journal of a finished review say, compared with the log.
// A contradiction between files and log is a finding. Missing facts are listed separately.

/** How a reviewer was started, by the log: its attempt's id, the line that committed it, its program's sha256. */
interface Launched {
  readonly id: string
  readonly line: Head
  readonly program: string | null
}

/** A recorded review: its line, who recorded it, and what its reviewer was started with. */
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

/** The evidence in the files of a review: contradictions with the log, and missing facts. */
export interface Seen {
  readonly transcript: ReadonlyArray<string>
  readonly journal: ReadonlyArray<string>
  readonly unshown: ReadonlyArray<string>
  readonly session: string | null
  readonly model: string | null
  /** The version of codex in its transcript. */
  readonly codex: string | null
  /** Whether its transcript was pruned, so that it cannot be compared with the log. */
  readonly pruned?: boolean
}

/** No evidence was read. */
export const nothingSeen: Seen = { transcript: [], journal: [], unshown: [], session: null, model: null, codex: null }

/** Codex's sentence about its request. A sentence of another form is not compared with the target. */
const knownRequest = /^(?:current changes|changes against '.*'|commit [0-9a-f]{7}(?:: .*)?)$/

const isAsked = (asked: string, { base, target }: Recorded): boolean => {
  if (!knownRequest.test(asked)) return true
  if (target._tag === "Uncommitted") return asked === "current changes"
  if (target._tag === "Commit") return asked.startsWith(`commit ${target.sha.slice(0, 7)}`)
  return base === null || asked === `changes against '${base}'`
}

// The state root may have been named through a link; a private repository's place below its run is unique.
const inRun = (path: string): string => /\/runs\/[^/]+\/isolated\/.*$/.exec(path)?.[0] ?? path

const samePlace = (one: string, other: string): boolean => inRun(one) === inRun(other)

const bannerProblems = (shown: Banner, recorded: Recorded): ReadonlyArray<string> => {
  const { asked, effort, sandbox, workdir } = shown
  const { event: { level } } = recorded
  const wrong = (name: string, value: string, expected: string) =>
    `its transcript shows ${name} ${oneLine(value)}, not ${oneLine(expected)}`
  return [
    ...(effort === null || effort === level ? [] : [wrong("reasoning effort", effort, level)]),
    ...(sandbox === null || sandbox === "read-only" ? [] : [wrong("sandbox", sandbox, "read-only")]),
    ...(workdir === null || samePlace(workdir, recorded.workdir) ? [] : [wrong("workdir", workdir, recorded.workdir)]),
    ...(asked === null || isAsked(asked, recorded) ? [] : [`its transcript shows another request: ${oneLine(asked)}`])
  ]
}

/**
 * What contradicts the journal's record of a reviewer that exited with 0, or was ended by a signal after its review was
 * recorded. Its transcript holds standard error, then standard output.
 */
const endProblem = (end: NonNullable<AttemptJournal["end"]>, { log, out }: Recorded["event"]): string | null => {
  if (end.status !== 0 && end.status <= 128) return `its journal says that it exited with ${end.status}`
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

/** The words of codex's own record that it would have printed, for a review without findings. */
const explanation = ({ evidence: { session } }: StoredReview): string => {
  const output = session._tag === "Found" ? session.output : null
  if (typeof output !== "object" || output === null || !("overall_explanation" in output)) return ""
  return typeof output.overall_explanation === "string" ? output.overall_explanation.trim() : ""
}

/** Whether its reviewer left no exit status although its review was recorded: it was killed with its wrapper. */
export const wasKilled = ({ evidence, journal, missing }: StoredReview): boolean =>
  missing.includes("exit") && journal?.end === null && evidence.session._tag === "Found"

/**
 * Whether its reviewer was ended after its review was recorded and before it had printed it, the last character apart.
 */
const wasEnded = (stored: StoredReview): boolean =>
  (wasKilled(stored) || (stored.status ?? 0) > 128) &&
  explanation(stored).startsWith(stored.evidence.out.trim().slice(0, -1))

/** The evidence in the files of a review. */
export const seenIn = (stored: StoredReview, recorded: Recorded): Seen => {
  const where = slotName(recorded.event)
  const said = (problem: string): string => `${where}: ${problem}`
  const shown = banner(stored.evidence.logHead)
  const clean = recorded.event.verdict === "Clean"
  const torn = [
    ...(stored.joined || wasKilled(stored) ? [] : ["its transcript does not end with its standard output"]),
    ...(clean && !wasEnded(stored) && !stored.evidence.out.includes(explanation(stored))
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
