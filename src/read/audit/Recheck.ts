// Recheck: recorded reviews and texts against their files.
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

// Compares a file that a run keeps beside its log with what a line of the log says of it.
// A forged log may name any path. Only names are opened that the program itself would have given.

/** What a line says of it: its name, the sha256 of it or the beginning of that, and its size. */
export interface KeptFile {
  readonly kept: KeptTextKind
  readonly file: string
  readonly hex: string
  readonly bytes: number
}

/** What is wrong with a kept file, or null. */
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

// The texts that events keep beside the log, by the lines that name them.

/** A long text whose rest the run keeps beside its log, by the line that names it. */
export interface KeptText {
  readonly line: number
  readonly name: string
  readonly text: Digest
}

const keptText = (line: number, rest: LongText["rest"]): ReadonlyArray<KeptText> =>
  rest === undefined ? [] : [{ line, name: textName(rest.hex), text: rest }]

/** The long text that an event has kept, if any. */
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

// One recorded review against the files it was read from: their digests, and the verdict they give today.
// The run acted on the recorded verdict, so that one counts. What today's classifier says is shown beside it.

/** What a classifier says of a review. */
export const Opinion = Schema.Struct({
  verdict: Schema.Literals(["Clean", "HasIssues", "NoReview"]),
  reason: Schema.String,
  source: Schema.NullOr(VerdictSource),
  findings: Count,
  /** How it is known to have read the change; absent in older logs. */
  read: Schema.optionalKey(HowRead)
})
export type Opinion = typeof Opinion.Type

/** What comparing a review with its files gave. `today` is null where the files are not the ones that were read. */
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

/** What today's classifier says of stored files. */
const opinion = (stored: StoredReview): Opinion => {
  const judged = judge(stored.evidence, wasKilled(stored) ? killed : stored.status ?? 0)
  return judged._tag === "Failed"
    ? { verdict: "NoReview", reason: oneLine(judged.message), source: null, findings: 0 }
    : {
      verdict: judged.verdict,
      reason: judged.reason,
      source: judged.source,
      findings: judged.findings.length,
      read: judged.read
    }
}

/** What was recorded, in the same form. */
export const recordedOpinion = ({ findings, read, reason, source, verdict }: EventOf<"ReviewFinished">): Opinion => ({
  verdict,
  reason: oneLine(reason),
  source,
  findings,
  ...(read === undefined ? {} : { read })
})

/** An opinion in a few words. */
export const opinionText = ({ findings, reason, source, verdict }: Opinion): string =>
  oneLine(`${verdict}, ${counted(findings, "finding")} (${reason}${source === null ? "" : `, from ${source}`})`)

// Other rules may have judged otherwise in good faith, except that none may have called a review with defects clean.
// A review that only today's rules doubt is no defect. It proves nothing either, so a strict run does not rest on it.
const compared = (
  { event, strict, version }: Recorded,
  today: Opinion,
  ours: string
): Pick<Rechecked, "verdict" | "note"> => {
  const then = recordedOpinion(event)
  const sameReading = then.read === undefined || then.read === today.read
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

// Whether a batch whose findings are recorded as not blocking has those findings, and no reason was made up.
// Its files are asked again, and so is the text that a step keeps before the log says so.

/** A batch that was said not to block: the event with its line, the batch, and what had been dismissed by then. */
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

/** What is wrong with what was said of the findings of a batch, or null. */
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

/** Asks the files of a batch whether what was said of its findings is so. */
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
