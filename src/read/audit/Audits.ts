// AuditText: audits as text for people and as one document for programs, written as they go.
// What is printed is not kept in memory, but for the notes of a JSON document, which come after its findings.
import { Effect } from "effect"
import type { RunRef } from "../../log/Refs.ts"
import { Output, type OutputError, type OutputFailed } from "../../platform/Process.ts"
import { RunStore } from "../../run/RunStore.ts"
import { jsonText } from "../../text/Json.ts"
import { counted, slotName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import type { Note } from "../LogReader.ts"
import { type GivenStatement, heldAgainst } from "../attest/Verify.ts"
import { type Audited, type AuditOptions, auditRun } from "./Audit.ts"
import { proofJson, proofText } from "./Proof.ts"
import { opinionText, recordedOpinion } from "./Recheck.ts"
import type { Reclassified, Word } from "./ReviewRun.ts"

/** How an audit of one run ended: with a result, or with the reason why its log could not be read. */
export type RunEnd = Audited | { readonly problem: string }

/** What is written at each turn of an audit. */
export interface Printer {
  readonly begin: string
  /** `directory` is where the run is. */
  readonly run: (stored: RunRef, directory: string) => string
  readonly words: (words: ReadonlyArray<Word>) => string
  readonly ended: (end: RunEnd) => string
  readonly end: (sound: boolean) => string
}

const lineText = (line: number): string => line === 0 ? "" : `line ${line}, `

const reclassifiedText = ({ recorded: { event, line }, today }: Reclassified): string =>
  `  review   line ${line}, ${slotName(event)}: recorded ${opinionText(recordedOpinion(event))}; today ` +
  `${today === null ? "nothing: its files have changed" : opinionText(today)}\n`

const wordText = (word: Word): string => {
  switch (word._tag) {
    case "Found":
      return `  finding  ${lineText(word.finding.line)}${word.finding.kind}: ${oneLine(word.finding.text)}\n`
    case "Noted":
      return `  note     ${lineText(word.note.line)}${oneLine(word.note.text)}\n`
    case "Reclassified":
      return reclassifiedText(word.review)
  }
}

const endedText = (end: RunEnd): string => {
  if ("problem" in end) return `  unreadable: ${oneLine(end.problem)}\n`
  const { events, findings, head, lines, proof, reviews } = end
  const checked = `${counted(lines, "line")}, ${counted(events, "event")}, ${counted(reviews, "review")}`
  const at = head.seq === 0 ? "" : `; head ${head.seq}:${head.hash}`
  const verdict = findings === 0 ? "sound" : `${counted(findings, "finding")}: not sound`
  return `  checked: ${checked}${at}\n${proof === null ? "" : proofText(proof)}  ${verdict}\n`
}

/** Text for people. */
export const textPrinter = (): Printer => ({
  begin: "",
  run: ({ repoId, runId, targetKey }) => `${oneLine(`run ${runId} (${repoId}, ${targetKey})`)}\n`,
  words: (words) => words.map(wordText).join(""),
  ended: endedText,
  end: () => ""
})

const reclassifiedJson = ({ recorded: { event, line, version }, today }: Reclassified) => ({
  line,
  level: event.level,
  batch: event.batch,
  slot: event.slot,
  attempt: event.attempt,
  version,
  recorded: recordedOpinion(event),
  today
})

const endedJson = (end: RunEnd) => {
  if ("problem" in end) return { sound: null, problem: end.problem }
  const { events, findings, head, lines, proof, reviews } = end
  return {
    sound: findings === 0,
    problem: null,
    checked: { lines, events, reviews },
    head: head.seq === 0 ? null : head,
    proof: proof === null ? null : proofJson(proof)
  }
}

/** One document: `{ schema, runs: [{ run, …, findings, notes, reviews, sound, … }], sound }`. */
export const jsonPrinter = (): Printer => {
  let runs = 0
  let findings = 0
  let notes: Array<Note> = []
  let reviews: Array<ReturnType<typeof reclassifiedJson>> = []
  return {
    begin: `{"schema":1,"runs":[`,
    run: ({ repoId, runId, targetKey }, directory) => {
      findings = 0
      notes = []
      reviews = []
      const head = jsonText({ run: runId, repo: repoId, target: targetKey, directory }).slice(0, -1)
      return `${runs++ === 0 ? "" : ","}${head},"findings":[`
    },
    words: (words) => {
      const texts: Array<string> = []
      for (const word of words) {
        if (word._tag === "Noted") notes.push(word.note)
        else if (word._tag === "Reclassified") reviews.push(reclassifiedJson(word.review))
        else texts.push(`${findings++ === 0 ? "" : ","}${jsonText(word.finding)}`)
      }
      return texts.join("")
    },
    ended: (end) => `],${jsonText({ notes, reviews, ...endedJson(end) }).slice(1)}`,
    end: (sound) => `],"sound":${sound}}\n`
  }
}

// Audits: audits one run or many, and says whether all of them are sound.
// An audit goes on to its end even when no process reads its output any more, because its exit code is an answer too.

/** What an audit says of all its runs together. */
export type AuditVerdict = "Sound" | "Findings" | "Unreadable"

const unlessClosed = (write: Effect.Effect<void, OutputError>): Effect.Effect<void, OutputFailed> =>
  Effect.catchTag(write, "OutputClosed", () => Effect.void)

const verdictOf = (ends: { readonly findings: number; readonly unreadable: number }): AuditVerdict =>
  ends.findings > 0 ? "Findings" : ends.unreadable > 0 ? "Unreadable" : "Sound"

/** How runs are audited, whether as one document for programs, and what others were told of the run. */
interface AuditsOptions extends AuditOptions {
  readonly json: boolean
  readonly attestation: GivenStatement | null
}

/** Audits a run, and holds an attestation against it where there is one. */
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
  const printer = options.json ? jsonPrinter() : textPrinter()
  const write = (text: string) => unlessClosed(output.write(text))
  const ends = { findings: 0, unreadable: 0 }
  yield* write(printer.begin)
  for (const stored of runs) {
    yield* write(printer.run(stored, runPlaces(stored).directory))
    const end: RunEnd = yield* audited(stored, options, (words) => write(printer.words(words))).pipe(
      Effect.catchTag(
        ["LogMissing", "LogTooNew", "LogUnavailable", "ReviewFilesFailed", "StoreFailed"],
        (error) => Effect.succeed({ problem: error.message })
      )
    )
    if ("problem" in end) ends.unreadable++
    else ends.findings += end.findings
    yield* write(printer.ended(end))
  }
  const verdict = verdictOf(ends)
  yield* write(printer.end(verdict === "Sound"))
  return verdict
})
