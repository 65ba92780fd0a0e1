// StrictMark: a mark in a strict run: the answer to a hand-off, which names the batch it answers.
// A mark that the run does not wait for is refused and changes nothing. Failed tests are never refused.
import { reviewsWithIssues } from "./Batch.ts"
import { blocks, isAbout, type StrictState } from "./Cover.ts"
import { type Commit, isLogEvent } from "../log/StreamKind.ts"
import type { Event, LevelOutcome } from "./Event.ts"
import type { Level } from "./Level.ts"
import { fold, type LevelRecord, type Manifest } from "./Manifest.ts"
import type { PastBatch } from "./ReviewRun.ts"
import { decideMark, type Mark, type MarkDecision, type RecordingMark } from "./Mark.ts"
import { triagePrompt } from "./words.ts"
import { type WaitContext, type Wait, waitOf } from "./StrictDecide.ts"

export interface AnsweredBatch {
  readonly level: Level
  readonly batch: number
}

/**
 * The decision on a mark in a strict run. `Repeated`: the same mark was set before, so it gets the same answer, found
 * by the line of the log that recorded it. `Refused`: with what the run waits for instead.
 */
type StrictMarkDecision =
  | { readonly _tag: "Applied"; readonly decision: MarkDecision }
  | { readonly _tag: "Repeated"; readonly record: LevelRecord }
  | { readonly _tag: "Refused"; readonly waiting: Wait }

/** What a run waits for, in words for the sender of a refused mark. */
export const waitText = (waiting: Wait, { batch, level }: AnsweredBatch): string => {
  const here = `${level}/${batch}`
  switch (waiting._tag) {
    case "Reviewers":
      return `the reviewers of ${here}; call the step`
    case "Address":
      return `an answer to AddressBatch of ${here}`
    case "Retrospective":
      return `an answer to Retrospective of ${here}`
    case "Reviews":
      return `reviews at level ${waiting.level}; call the step`
    case "Nothing":
      return "nothing: the fixed point is reached; call the step"
    case "Identity":
      return `the state of the code, which cannot be determined: ${waiting.why}`
  }
}

/** The marks that record an outcome of a level. */
type Recording = Exclude<RecordingMark, { readonly _tag: "AddressFailed" }>

const outcomeOf = { RetroClean: "Clean", RetroChanges: "RetrospectiveChanges", AddressPassed: "Addressed" } as const

/** Whether a recorded outcome equals the one of a mark, with the same text. */
const isSame = (mark: Recording, outcome: LevelOutcome): boolean =>
  outcomeOf[mark._tag] === outcome._tag &&
  (mark._tag !== "RetroChanges" || outcome._tag !== "RetrospectiveChanges" ||
    outcome.reason.text === mark.reason.text.slice(0, outcome.reason.text.length))

/** Hands failed tests to a human, after any batch that had issues and at any level of the run. */
const triage = (
  { batch, level }: AnsweredBatch,
  mark: Extract<Mark, { readonly _tag: "AddressFailed" }>
): MarkDecision => {
  const event: Event = { _tag: "AddressFailed", level, batch, details: mark.details }
  const prompt = triagePrompt(level, mark.details.text)
  return { events: [event], line: null, outcome: { _tag: "HandoffHuman", action: "TestsFailedTriage", prompt } }
}

/** Records the reason of changes after a clean batch that the run has left because the code changed. */
const late = (
  { batch, level }: AnsweredBatch,
  mark: Extract<Mark, { readonly _tag: "RetroChanges" }>,
  ceiling: Level
) => {
  const outcome: LevelOutcome = { _tag: "RetrospectiveChanges", reason: mark.reason }
  const event: Event = { _tag: "LevelOutcomeRecorded", level, batch, outcome, ceiling }
  const line = `retrospective surfaced changes at ${level}; the run has moved on with the code`
  return { events: [event], line, outcome: { _tag: "Idle" } } satisfies MarkDecision
}

/** Whether the run waits for exactly this answer to its current batch. */
const fits = (manifest: Manifest, strict: StrictState, mark: Recording, context: WaitContext): boolean => {
  const { current_level: level, batch_number } = manifest
  const done = strict.last[level]
  if (done === null || done.batch !== batch_number) return false
  if (mark._tag === "AddressPassed") return blocks(level, done, context.waived)
  if (blocks(level, done, context.waived)) return false
  if (mark._tag === "RetroChanges") return true
  if (context.identity === null || !isAbout(done, context.identity)) return false
  // At the ceiling a clean retrospective returns the result of the step itself.
  return level !== context.ceiling || waitOf(manifest, strict, context)._tag === "Nothing"
}

/** Whether the run left a clean batch only because the code had changed. */
const leftBehind = ({ batch, left, level, number }: PastBatch, { waived }: WaitContext): boolean =>
  batch.completed !== null && (left === "Stale" || left === "TargetChanged") &&
  (reviewsWithIssues(batch) === 0 || waived(level, number))

/** A mark, the batch that it answers, and the batches that the run has started, in order. */
interface MarkRequest {
  readonly answered: AnsweredBatch
  readonly mark: Mark
  readonly past: ReadonlyArray<PastBatch>
}

/** Decides a recording mark for the batch it answers; the three primitives answer nothing. */
export const decideStrictMark = (
  manifest: Manifest,
  strict: StrictState,
  { answered, mark, past }: MarkRequest,
  context: WaitContext
): StrictMarkDecision => {
  const refused: StrictMarkDecision = { _tag: "Refused", waiting: waitOf(manifest, strict, context) }
  const applied = (decision: MarkDecision): StrictMarkDecision => ({ _tag: "Applied", decision })
  const named = past.find(({ level, number }) => level === answered.level && number === answered.batch)
  switch (mark._tag) {
    case "AdvanceLevel":
    case "DropLevel":
    case "RestartFromFloor":
      return applied(decideMark(manifest, mark, context.ceiling))
    case "AddressFailed":
      return named !== undefined && named.batch.completed !== null && reviewsWithIssues(named.batch) > 0
        ? applied(triage(answered, mark))
        : refused
    case "RetroClean":
    case "RetroChanges":
    case "AddressPassed": {
      const current = answered.level === manifest.current_level && answered.batch === manifest.batch_number
      const record = manifest.level_history.findLast(({ batch_number, level }) =>
        level === answered.level && batch_number === answered.batch
      )
      if (record !== undefined) {
        const ends = record.outcome._tag !== "Clean" || record.level !== context.ceiling ||
          waitOf(manifest, strict, context)._tag === "Nothing"
        if (isSame(mark, record.outcome)) return ends ? { _tag: "Repeated", record } : refused
        // Issues of a batch that was answered as clean may block by now. Then they need an answer of their own.
        const asked = mark._tag === "AddressPassed" && record.outcome._tag === "Clean" && current
        return asked && fits(manifest, strict, mark, context)
          ? applied(decideMark(manifest, mark, context.ceiling))
          : refused
      }
      if (current) {
        return fits(manifest, strict, mark, context) ? applied(decideMark(manifest, mark, context.ceiling)) : refused
      }
      return mark._tag === "RetroChanges" && named !== undefined && leftBehind(named, context)
        ? applied(late(answered, mark, context.ceiling))
        : refused
    }
  }
}

const unchanged: MarkDecision = { events: [], line: null, outcome: { _tag: "Idle" } }

/** The answer that a mark got when it was set before, found in the log. It commits nothing. */
export const repeatedMark = (
  commits: ReadonlyArray<Commit<Event>>,
  { answered, ceiling, mark }: { readonly answered: AnsweredBatch; readonly mark: Mark; readonly ceiling: Level }
): MarkDecision => {
  const isIt = (event: Event): boolean =>
    event._tag === "LevelOutcomeRecorded" && event.level === answered.level && event.batch === answered.batch
  const line = commits.findIndex(({ events }) => events.some((event) => !isLogEvent(event) && isIt(event)))
  const before = line < 0 ? null : fold(commits.slice(0, line))
  if (before === null) return unchanged
  const wasCurrent = before.current_level === answered.level && before.batch_number === answered.batch
  return mark._tag === "RetroChanges" && !wasCurrent
    ? { ...late(answered, mark, ceiling), events: [] }
    : { ...decideMark(before, mark, ceiling), events: [] }
}
