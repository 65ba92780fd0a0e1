// Recheck: compares recorded reviews and texts with their files.
import { Effect, Schema } from "effect"
import type { RunRef } from "../../log/Refs.ts"
import type { Place } from "../../log/StreamKind.ts"
import { ReviewFiles, type StoredReview } from "../../review/ReviewFiles.ts"
import { findingsIn } from "../../review/Waivers.ts"
import type { Finding } from "../../review/findings/Finding.ts"
import { dismisses, shortReason, waiverText, weightOf } from "../../review/findings/Waiving.ts"
import { judge, killed } from "../../review/verdict/Judge.ts"
import { inDoubt, rulesVersion } from "../../review/verdict/Verdict.ts"
import { type Dismissal, isInForce, type WaivedFinding } from "../../run/Dismissal.ts"
import { type Digest, type Event, type EventOf, type LongText, sameDigest } from "../../run/Event.ts"
import { Count } from "../../run/Document.ts"
import { HowRead, VerdictSource } from "../../run/ReviewTokens.ts"
import { isKeptName, type KeptTextKind, textName } from "../../run/LongText.ts"
import { RunStore } from "../../run/RunStore.ts"
import { batchName, counted, slotName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { found, noted } from "../LogReader.ts"
import { nothingSeen, type Recorded, type Seen, seenIn, wasKilled } from "./Evidence.ts"
import type { CleanBatch } from "./Proof.ts"

// Compares a stored file beside the log with a line of the log about it.
// A forged log may name any path. Only names that the program itself would have given are opened.

/** A line's data about it: its name, the sha256 of it or the beginning of that, and its size. */
export interface KeptFile {
  readonly kept: KeptTextKind
  readonly file: string
  readonly hex: string
  readonly bytes: number
}

/** What is wrong with a stored file, or null. */
export const keptFinding = Effect.fn("Recheck.keptFinding")(function*(
  run: RunRef,
  { bytes, file, hex, kept }: KeptFile
) {
  const wrong = (what: string): string => `${oneLine(file)}, which this line names, is ${what}`
  if (!isKeptName(kept, file)) return wrong("no name of a kept file")
  const now = yield* (yield* RunStore).digest(run, file)
  if (now === null) return wrong("missing")
  return now.hex.startsWith(hex) && now.bytes === bytes ? null : wrong("not the recorded one")
})

// The texts that events store beside the log, by the lines that name them.

/** A long text whose rest is stored beside the log, by the line that names it. */
export interface KeptText {
  readonly line: number
  readonly name: string
  readonly text: Digest
}

const keptText = (line: number, rest: LongText["rest"]): ReadonlyArray<KeptText> =>
  rest === undefined ? [] : [{ line, name: textName(rest.hex), text: rest }]

/** The stored long text of an event, if any. */
export const textsOf = (event: Event, line: number): ReadonlyArray<KeptText> => {
  switch (event._tag) {
    case "AddressFailed":
      return keptText(line, event.details.rest)
    case "FindingDismissed":
      return keptText(line, event.reason.rest)
    case "BatchWaived":
      return keptText(line, event.rest)
    case "LevelOutcomeRecorded":
      return event.outcome._tag === "RetrospectiveChanges" ? keptText(line, event.outcome.reason.rest) : []
    default:
      return []
  }
}

// Compares one recorded review with its files: their digests, and today's verdict on them.
// The run acted on the recorded verdict, so that one counts. Today's classification is shown beside it.

/** The classification of a review. */
export const Opinion = Schema.Struct({
  verdict: Schema.Literals(["Clean", "HasIssues", "NoReview"]),
  reason: Schema.String,
  source: Schema.NullOr(VerdictSource),
  findings: Count,
  /** How it is known to have read the change; null in older logs. */
  read: Schema.NullOr(HowRead)
})
export type Opinion = typeof Opinion.Type

/** The result of comparing a review with its files. `today` is null if the files are not the original ones. */
interface Rechecked {
  readonly files: ReadonlyArray<string>
  readonly verdict: string | null
  readonly note: string | null
  readonly today: Opinion | null
  readonly seen: Seen
}

const fileProblems = (
  { event }: Recorded,
  stored: StoredReview
): ReadonlyArray<string> => {
  const { evidence, pruned, status } = stored
  const missing = wasKilled(stored) ? stored.missing.filter((name) => name !== "exit") : stored.missing
  const absent = pruned === true ? [...missing, "log"] : missing
  const { digests } = evidence
  const recorded = { log: event.log, out: event.out, review: event.review ?? null }
  const changed = (["log", "out", "review"] as const).filter((name) => {
    const [then, now] = [recorded[name], digests[name]]
    return !absent.includes(name) && then !== null && now !== null && !sameDigest(then, now)
  })
  const where = slotName(event)
  return [
    ...missing.map((name) => `${where}: its ${name} file is missing`),
    ...(status === null && !stored.missing.includes("exit") ? [`${where}: its exit file holds no exit status`] : []),
    ...changed.map((name) => `${where}: its ${name} file is not the one that was recorded`)
  ]
}

/** Today's classification of stored files. */
const opinion = (stored: StoredReview): Opinion => {
  const judged = judge(stored.evidence, wasKilled(stored) ? killed : stored.status ?? 0)
  return judged._tag === "Failed"
    ? { verdict: "NoReview", reason: oneLine(judged.message), source: null, findings: 0, read: null }
    : {
      verdict: judged.verdict,
      reason: judged.reason,
      source: judged.source,
      findings: judged.findings.length,
      read: judged.read
    }
}

/** The recorded classification, in the same form. */
export const recordedOpinion = ({ findings, read, reason, source, verdict }: EventOf<"ReviewFinished">): Opinion => ({
  verdict,
  reason: oneLine(reason),
  source,
  findings,
  read: read ?? null
})

/** A classification in a few words. */
export const opinionText = ({ findings, reason, source, verdict }: Opinion): string =>
  oneLine(`${verdict}, ${counted(findings, "finding")} (${reason}${source === null ? "" : `, from ${source}`})`)

// Other rules may have judged differently in good faith, but none may have called a review with defects clean.
// A review that only today's rules doubt is no defect. It proves nothing either, so a strict run cannot rely on it.
const compared = (
  { event, strict, version }: Recorded,
  today: Opinion,
  ours: string
): Pick<Rechecked, "verdict" | "note"> => {
  const then = recordedOpinion(event)
  const sameReading = then.read === null || then.read === today.read
  if (
    then.verdict === today.verdict && then.source === today.source && then.findings === today.findings && sameReading
  ) {
    return { verdict: null, note: null }
  }
  const text = `${slotName(event)}: recorded ${opinionText(then)}; its files give ${opinionText(today)}` +
    (sameReading ? "" : `; it read ${then.read} by the log, ${today.read ?? "nothing"} by its files`)
  const rules = event.rules ?? 1
  if (rules === rulesVersion) return { verdict: text, note: null }
  const by = `recorded by version ${oneLine(version ?? "unknown")} with verdict rules ${rules}`
  const known = `${text}; ${by}, this is ${ours} with rules ${rulesVersion}`
  const unsafe = then.verdict === "Clean" && today.verdict !== "Clean" && (strict || today.reason !== inDoubt)
  return unsafe ? { verdict: known, note: null } : { verdict: null, note: known }
}

/** Compares a recorded review with its stored files. `ours` is the version of this program. */
export const recheck = Effect.fn("Recheck.recheck")(function*(run: RunRef, recorded: Recorded, ours: string) {
  const { attempt, batch, level, review, slot } = recorded.event
  const files = yield* ReviewFiles
  const stored = yield* files.stored({ run, level, batch, slot, attempt }, { session: review !== undefined })
  const problems = fileProblems(recorded, stored)
  if (problems.length > 0) {
    return { files: problems, verdict: null, note: null, today: null, seen: nothingSeen } satisfies Rechecked
  }
  if (stored.pruned === true) {
    const note = `${slotName(recorded.event)}: its transcript was pruned`
    return { files: [], verdict: null, note, today: null, seen: { ...nothingSeen, pruned: true } } satisfies Rechecked
  }
  const today = opinion(stored)
  const seen = seenIn(stored, recorded)
  return { files: [], ...compared(recorded, today, ours), today, seen } satisfies Rechecked
})

// Whether a batch whose findings are recorded as not blocking has those findings, with valid reasons.
// Its files are read again, and so is the text that a step stores before the log records the waiver.

/** A batch recorded as not blocking: the event with its line, the batch, and the dismissals until then. */
export interface WaivedBatch {
  readonly line: Place
  readonly event: EventOf<"BatchWaived">
  readonly flawed: Pick<CleanBatch, "reviews">
  readonly dismissed: ReadonlyArray<Dismissal>
  readonly worktree: string
}

/** Whether the recorded reason really keeps this finding from blocking. */
const isReason = (finding: Finding, { because }: WaivedFinding, { dismissed, event, line }: WaivedBatch): boolean => {
  if (because._tag === "BelowBlock") return weightOf(finding) > event.block
  return because.scope === "repo" ||
    dismissed.some((dismissal) =>
      isInForce(dismissal, line.at.slice(0, 10)) && dismissal.until === because.until &&
      shortReason(dismissal.reason) === because.reason && dismisses(dismissal, finding)
    )
}

/** What is wrong with the recorded findings of a batch, or null. */
export const waivedProblem = (findings: ReadonlyArray<Finding>, waived: WaivedBatch): string | null => {
  const { findings: said, rest } = waived.event
  if (rest === undefined && findings.length !== said.length) {
    return `${findings.length} findings were reported, ${said.length} are recorded as not blocking`
  }
  for (const [i, one] of said.entries()) {
    const finding = findings[i]
    if (finding === undefined || finding.fingerprint !== one.fingerprint || finding.priority !== one.priority) {
      return `${one.fingerprint} is not what was reported`
    }
    if (!isReason(finding, one, waived)) return `${one.fingerprint} blocks: it is not below the bar and not dismissed`
  }
  return null
}

/** Whether the files of a batch show the recorded findings. */
export const recheckWaived = Effect.fn("Recheck.recheckWaived")(function*(run: RunRef, waived: WaivedBatch) {
  const { event, flawed: { reviews }, line: { seq }, worktree } = waived
  const findings = yield* findingsIn(run, event, reviews, worktree)
  const name = batchName(event)
  // A batch of an earlier version kept no such text.
  if (reviews.waiversKept === true && !(yield* (yield* RunStore).keeps(run, waiverText(event)))) {
    return [
      found("verdict", seq, `${name}: only the log says that nothing in it blocks; no step has kept a text of it`)
    ]
  }
  if (findings === null) return [noted(seq, `${name}: its files no longer show the findings that were recorded`)]
  const problem = waivedProblem(findings, waived)
  return problem === null ? [] : [found("verdict", seq, `${name}: ${problem}`)]
})
