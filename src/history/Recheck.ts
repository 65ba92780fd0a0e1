// Recheck: one recorded review against the files it was read from: their digests, and the verdict they give today.
// The run acted on the recorded verdict, so that one stands. What today's classifier says is shown beside it.
import { Effect } from "effect"
import { type EventOf, sameDigest } from "../core/run/Event.ts"
import { judge } from "../core/verdict/Judge.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { oneLine } from "../core/text/Text.ts"
import { counted, slotName } from "../core/text/Phrases.ts"
import { inDoubt, rulesVersion } from "../core/verdict/Verdict.ts"
import { ReviewFiles, type StoredReview } from "../services/ReviewFiles.ts"
import { nothingSeen, type Recorded, type Seen, seenIn } from "./Evidence.ts"

/** What a classifier says of a review. */
export interface Opinion {
  readonly verdict: "Clean" | "HasIssues" | "NoReview"
  readonly reason: string
  readonly source: string | null
  readonly findings: number
  /** How it is known to have read the change; absent in older logs. */
  readonly read?: NonNullable<EventOf<"ReviewFinished">["read"]>
}

/** What comparing a review with its files gave. `today` is null where the files are not the ones that were read. */
export interface Rechecked {
  readonly files: ReadonlyArray<string>
  readonly verdict: string | null
  readonly note: string | null
  readonly today: Opinion | null
  readonly seen: Seen
}

const fileProblems = ({ event }: Recorded, { evidence, missing, pruned }: StoredReview): ReadonlyArray<string> => {
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
    ...changed.map((name) => `${where}: its ${name} file is not the one that was recorded`)
  ]
}

/** What today's classifier says of stored files. */
const opinion = (stored: StoredReview): Opinion => {
  const judged = judge(stored.evidence, stored.status ?? 0)
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
