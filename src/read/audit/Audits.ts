// Audits: audits many runs, and prints results as they come.
import { Effect, Schema } from "effect"
import type { RunRef } from "../../log/Refs.ts"
import { Output, type OutputError, type OutputFailed } from "../../platform/Process.ts"
import { Count, documentText, RunName, runName, version } from "../../run/Document.ts"
import { SeenHead } from "../../run/Event.ts"
import { Level } from "../../run/Level.ts"
import { RunStore } from "../../run/RunStore.ts"
import { counted, slotName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { type GivenStatement, heldAgainst } from "../attest/Verify.ts"
import { type Audited, type AuditOptions, auditRun } from "./Audit.ts"
import { findingKinds } from "../LogReader.ts"
import { ProofFields, proofFields, proofText } from "./Proof.ts"
import { Opinion, opinionText, recordedOpinion } from "./Recheck.ts"
import type { Reclassified, Word } from "./ReviewRun.ts"

// Audits as text for people, written as they go, and as one document for programs.

/** How an audit of one run ended: with a result, or with the reason why its log could not be read. */
export type RunEnd = Audited | { readonly problem: string }

const lineText = (line: number): string => line === 0 ? "" : `line ${line}, `

const reclassifiedText = ({ recorded: { event, line }, today }: Reclassified): string =>
  `  review   line ${line}, ${slotName(event)}: recorded ${opinionText(recordedOpinion(event))}; today ` +
  `${today === null ? "nothing: its files have changed" : opinionText(today)}\n`

/** The line of a run, before everything about it. */
export const runText = ({ repoId, runId, targetKey }: RunRef): string =>
  `${oneLine(`run ${runId} (${repoId}, ${targetKey})`)}\n`

/** One result of an audit, on a line of its own. */
export const wordText = (word: Word): string => {
  switch (word._tag) {
    case "Found":
      return `  finding  ${lineText(word.finding.line)}${word.finding.kind}: ${oneLine(word.finding.text)}\n`
    case "Noted":
      return `  note     ${lineText(word.note.line)}${oneLine(word.note.text)}\n`
    case "Reclassified":
      return reclassifiedText(word.review)
  }
}

/** The last lines of an audit: its conclusion. */
export const endedText = (end: RunEnd): string => {
  if ("problem" in end) return `  unreadable: ${oneLine(end.problem)}\n`
  const { events, findings, head, lines, proof, reviews } = end
  const checked = `${counted(lines, "line")}, ${counted(events, "event")}, ${counted(reviews, "review")}`
  const at = head.seq === 0 ? "" : `; head ${head.seq}:${head.hash}`
  const verdict = findings === 0 ? "sound" : `${counted(findings, "finding")}: not sound`
  const proven = proof === null ? "  no fixed point: the run proves nothing about its code\n" : proofText(proof)
  return `  checked: ${checked}${at}\n${proven}  ${verdict}\n`
}

const Kind = Schema.Literals([
  "Damage",
  "Rewound",
  "Head",
  "Fact",
  "Torn",
  "Time",
  "Run",
  "Transition",
  "Transcript",
  "Journal",
  "Verdict",
  "Unended",
  "TreeChanged",
  "Proof",
  "Driver",
  "Attestation"
]).transform(findingKinds)
const FindingFields = Schema.Struct({ kind: Kind, line: Count, text: Schema.String })
const NoteFields = Schema.Struct({ line: Count, text: Schema.String })
const ReviewFields = Schema.Struct({
  line: Count,
  level: Level,
  batch: Count,
  slot: Count,
  attempt: Count,
  version: Schema.NullOr(Schema.String),
  recorded: Opinion,
  today: Schema.NullOr(Opinion)
})
const AuditedRun = Schema.Struct({
  run: RunName,
  directory: Schema.String,
  findings: Schema.Array(FindingFields),
  notes: Schema.Array(NoteFields),
  reviews: Schema.Array(ReviewFields),
  sound: Schema.NullOr(Schema.Boolean),
  problem: Schema.NullOr(Schema.String),
  checked: Schema.NullOr(Schema.Struct({ lines: Count, events: Count, reviews: Count })),
  head: Schema.NullOr(SeenHead),
  proof: Schema.NullOr(ProofFields)
})

/** The document of `audit --json`. */
export class AuditDocument extends Schema.Class<AuditDocument>("Audit")({
  schema: version,
  runs: Schema.Array(AuditedRun),
  sound: Schema.Boolean
}) {}

const reviewFields = ({ recorded: { event, line, version }, today }: Reclassified): typeof ReviewFields.Type => ({
  line,
  level: event.level,
  batch: event.batch,
  slot: event.slot,
  attempt: event.attempt,
  version,
  recorded: recordedOpinion(event),
  today
})

const endFields = (end: RunEnd) => {
  if ("problem" in end) return { sound: null, problem: end.problem, checked: null, head: null, proof: null }
  const { events, findings, head, lines, proof, reviews } = end
  return {
    sound: findings === 0,
    problem: null,
    checked: { lines, events, reviews },
    head: head.seq === 0 ? null : head,
    proof: proof === null ? null : proofFields(proof)
  }
}

/** The results of an audit, and how it ended, in the document. */
export const auditedRun = (
  stored: RunRef,
  directory: string,
  words: ReadonlyArray<Word>,
  end: RunEnd
): typeof AuditedRun.Type => ({
  run: runName(stored),
  directory,
  findings: words.flatMap((word) => word._tag === "Found" ? [word.finding] : []),
  notes: words.flatMap((word) => word._tag === "Noted" ? [word.note] : []),
  reviews: words.flatMap((word) => word._tag === "Reclassified" ? [reviewFields(word.review)] : []),
  ...endFields(end)
})

// Audits one run or many, and returns whether all are sound.
// An audit continues to its end even if its output has no reader, because its exit code is an answer too.

/** The combined result of an audit. */
export type AuditVerdict = "Sound" | "Findings" | "Unreadable"

const unlessClosed = (write: Effect.Effect<void, OutputError>): Effect.Effect<void, OutputFailed> =>
  Effect.catchTag(write, "OutputClosed", () => Effect.void)

const verdictOf = (ends: { readonly findings: number; readonly unreadable: number }): AuditVerdict =>
  ends.findings > 0 ? "Findings" : ends.unreadable > 0 ? "Unreadable" : "Sound"

/** The options of audits: whether to print one document for programs, and the attestation to check. */
interface AuditsOptions extends AuditOptions {
  readonly json: boolean
  readonly attestation: GivenStatement | null
}

/** Audits a run, and compares an attestation with it if there is one. */
const audited = Effect.fnUntraced(function*<E>(
  run: RunRef,
  options: AuditsOptions,
  say: (words: ReadonlyArray<Word>) => Effect.Effect<void, E>
) {
  const ended = yield* auditRun(run, options, say)
  if (options.attestation === null) return ended
  const problems = yield* heldAgainst(run, ended, options.attestation)
  yield* say(problems)
  return { ...ended, findings: ended.findings + problems.length }
})

/** Audits runs and writes. A finding outweighs a run that could not be read. */
export const audits = Effect.fn("Audits.audits")(function*(runs: ReadonlyArray<RunRef>, options: AuditsOptions) {
  const output = yield* Output
  const { runPlaces } = yield* RunStore
  const write = (text: string) => unlessClosed(output.write(text))
  const ends = { findings: 0, unreadable: 0 }
  const document: Array<typeof AuditedRun.Type> = []
  for (const stored of runs) {
    const said: Array<Word> = []
    const say = (words: ReadonlyArray<Word>) =>
      options.json ? Effect.sync(() => void said.push(...words)) : write(words.map(wordText).join(""))
    if (!options.json) yield* write(runText(stored))
    const end: RunEnd = yield* audited(stored, options, say).pipe(
      Effect.catchTag(
        ["LogMissing", "LogTooNew", "LogUnavailable", "ReviewFilesFailed", "StoreFailed"],
        (error) => Effect.succeed({ problem: error.message })
      )
    )
    if ("problem" in end) ends.unreadable++
    else ends.findings += end.findings
    if (options.json) document.push(auditedRun(stored, runPlaces(stored).directory, said, end))
    else yield* write(endedText(end))
  }
  const verdict = verdictOf(ends)
  if (options.json) yield* write(documentText(AuditDocument, { runs: document, sound: verdict === "Sound" }))
  return verdict
})
