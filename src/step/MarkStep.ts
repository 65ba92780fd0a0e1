// MarkStep: side-effect mode: opens the run, or a new one if it must, and applies the mark to it.
// The outcome and the transition of a mark are one line, and nothing is printed before it is durable.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { IdentityTimeout } from "../platform/GitCommand.ts"
import { presentIdentity } from "../code/PresentIdentity.ts"
import { tidy } from "../code/PrivateRepository.ts"
import { withScratchpad } from "../code/Scratchpad.ts"
import { note } from "../platform/Note.ts"
import type * as Reviewing from "../review/End.ts"
import { pollInterval } from "../review/Limits.ts"
import type { WaiverRecord } from "../review/Waivers.ts"
import type { BatchName } from "../review/findings/ReviewedBatch.ts"
import { barOf, type BarSettings, lowestBar, waivesNothing } from "../review/findings/Waiving.ts"
import { reviewsWithIssues, underWay } from "../run/Batch.ts"
import { lastWithIssues, noneWaived, type StrictState } from "../run/Cover.ts"
import { Priority } from "../run/Dismissal.ts"
import type { Event } from "../run/Event.ts"
import { explainFullDisk } from "../run/FullDisk.ts"
import type { Action, Answers } from "../run/Invocation.ts"
import { Level } from "../run/Level.ts"
import { keepLong } from "../run/LongText.ts"
import { decideMark, isRecording, type Mark, type MarkDecision } from "../run/Mark.ts"
import { header } from "../run/Outcome.ts"
import { batchesOf, type PastBatch } from "../run/ReviewRun.ts"
import { readRunLog } from "../run/RunLog.ts"
import { commit, noteOpened, type Run, runFields, transact } from "../run/Run.ts"
import type { Settings } from "../run/Settings.ts"
import { countedClean, Wait } from "../run/StrictDecide.ts"
import { decideStrictMark, repeatedMark, waitText } from "../run/StrictMark.ts"
import { locate, openNamed, openRun } from "./OpenRun.ts"
import type { WorkPlace } from "./RunOfWorktree.ts"
import type { StepResult } from "./StepResult.ts"

const Reason = Schema.TaggedUnion({
  /** The mark names no batch. */
  Unnamed: {},
  /** The mark answers another run. */
  OtherRun: { answered: Schema.String, run: Schema.String },
  /** The run waits for something else in its current batch; `block` is given if there are issues to judge. */
  Waits: { waiting: Wait, level: Level, batch: Schema.Int, block: Schema.NullOr(Priority) }
})

const reasonText = Reason.match({
  Unnamed: () => "it must name the batch that it answers",
  OtherRun: ({ answered, run }) => `it answers run ${answered}, the run is ${run}; call the step`,
  Waits: ({ block, waiting, ...at }) => waitText(waiting, at) + (block === null ? "" : ` [judged by --block P${block}]`)
})

/** A strict run does not wait for this mark. Nothing was changed. */
export class MarkRefused extends Schema.TaggedError<MarkRefused>()("MarkRefused", { reason: Reason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `mark refused: ${reasonText(this.reason)}`
  }
}

/** The batch that a mark answers. A primitive answers no batch: it moves the run from its present position. */
const answeredBy = (mark: Mark, answers: Answers | undefined, { manifest }: Run) => {
  if (!isRecording(mark)) return { level: manifest.current_level, batch: manifest.batch_number }
  if (answers === undefined) return new MarkRefused({ reason: { _tag: "Unnamed" } })
  return answers.run === null || answers.run === manifest.run_id
    ? answers
    : new MarkRefused({ reason: { _tag: "OtherRun", answered: answers.run, run: manifest.run_id } })
}

/** Whether a mark depends on what blocks: an answer to a hand-off does, if its batch has issues. */
const isJudged = (mark: Mark, strict: StrictState, named: PastBatch | undefined): boolean =>
  isRecording(mark) && mark._tag !== "AddressFailed" &&
  (reviewsWithIssues(named?.batch ?? { _tag: "NotStarted" }) > 0 ||
    lastWithIssues(strict).length > 0)

/** Decides a mark in a strict run; MarkRefused if the run does not wait for it. */
export const strictAnswer = Effect.fn("MarkStep.strictAnswer")(
  function*(run: Run, strict: StrictState, marking: MarkRequest, ending: LateReviewing) {
    const { answers, block, ceiling, mark, retries } = marking
    const answered = answeredBy(mark, answers, run)
    if (answered instanceof MarkRefused) return yield* answered
    const { commits } = yield* readRunLog(run.ref)
    const read = commits.filter(({ seq }) => seq <= run.head.seq)
    const past = batchesOf(read)
    const isAnswered = ({ batch, level }: BatchName) => level === answered.level && batch === answered.batch
    const named = past.find(({ level, number }) => isAnswered({ level, batch: number }))
    const judged = isJudged(mark, strict, named)
    const at: BatchName = { level: answered.level, batch: answered.batch }
    const bar = judged ? yield* barOf(run, marking) : lowestBar
    const others = named === undefined ? [] : [at]
    const waivers = waivesNothing(bar) ? null : yield* (yield* ending).waiversOf(run, strict, bar, others)
    const decideWith = (identity: Effect.Success<ReturnType<typeof presentIdentity>> | null) => {
      const context = { ceiling, identity, retries, waived: waivers?.waived ?? noneWaived }
      const decided = decideStrictMark(run.manifest, strict, { answered, mark, past }, context)
      const taken = mark._tag === "RetroClean" || mark._tag === "RetroChanges"
        ? [at, ...countedClean(run.manifest, strict, context).filter((one) => !isAnswered(one))]
        : []
      if (waivers === null) return { decided, waiving: null }
      return { decided, waiving: { waivers, takenForClean: taken.filter((one) => waivers.of(one) !== null) } }
    }
    // The code is examined only if the decision depends on it, so that a fault in examining it stops no other mark.
    const blind = decideWith(null)
    const { decided, waiving } = blind.decided._tag === "Refused"
      ? decideWith(yield* presentIdentity(run.manifest))
      : blind
    switch (decided._tag) {
      case "Applied":
        return { decision: decided.decision, waiving }
      case "Repeated":
        return { decision: repeatedMark(read, { answered, mark, ceiling }), waiving: null }
      case "Refused":
        return yield* new MarkRefused({
          reason: {
            _tag: "Waits",
            waiting: decided.waiting,
            level: run.manifest.current_level,
            batch: run.manifest.batch_number,
            block: judged ? block ?? 3 : null
          }
        })
    }
  }
)

// Applying a mark

/** A mark, and the settings for judging it. In a strict run a recording mark must name its hand-off. */
interface MarkRequest extends BarSettings {
  readonly mark: Mark
  readonly answers?: Answers | undefined
  readonly ceiling: Level
  readonly retries: number
  /** The driver that sets the mark; absent if a person does. */
  readonly driver?: string | undefined
}

/** Ends and judges reviews. Loaded late, because few marks need it. */
export type LateReviewing = Effect.Effect<typeof Reviewing>

const storable = Effect.fnUntraced(function*(run: Run, event: Event, driver: string | undefined) {
  const by = driver === undefined ? {} : { driver }
  if (event._tag === "AddressFailed") {
    return { ...event, ...by, details: yield* keepLong(run.ref, event.details.text) } satisfies Event
  }
  if (event._tag !== "LevelOutcomeRecorded") return event
  if (event.outcome._tag !== "RetrospectiveChanges") return { ...event, ...by } satisfies Event
  const reason = yield* keepLong(run.ref, event.outcome.reason.text)
  return { ...event, ...by, outcome: { ...event.outcome, reason } } satisfies Event
})

/** The decision on a mark, and in a strict run the batches with issues that it counts as clean. */
interface Decided {
  readonly decision: MarkDecision
  readonly waiving: WaiverRecord | null
}

const decided = Effect.fnUntraced(function*(run: Run, marking: MarkRequest, ending: LateReviewing) {
  const { strict } = run.manifest
  return strict === undefined
    ? { decision: decideMark(run.manifest, marking.mark, marking.ceiling), waiving: null } satisfies Decided
    : yield* strictAnswer(run, strict, marking, ending)
})

/** Whether a mark leaves a batch whose reviewers are still under way. */
const leavesReviews = ({ manifest }: Run, { events }: MarkDecision): boolean =>
  underWay(manifest.batch).length > 0 && events.some(({ _tag }) => _tag === "BatchOpened")

const applyOnce = Effect.fnUntraced(function*(read: Run, marking: MarkRequest, ending: LateReviewing) {
  const first = yield* decided(read, marking, ending)
  const reviews = leavesReviews(read, first.decision) ? yield* ending : null
  const taken = reviews === null ? read : yield* reviews.recordReadable(read)
  const { decision: { events, line, outcome }, waiving } = reviews === null
    ? first
    : yield* decided(taken, marking, ending)
  yield* note("decided on a mark", {
    mark: marking.mark._tag,
    events: events.map(({ _tag }) => _tag),
    outcome: header(outcome)
  })
  if (events.length === 0) return { line, outcome, run: taken }
  const run = waiving === null ? taken : yield* (yield* ending).recordWaivers(taken, waiving)
  const facts = yield* Effect.forEach(events, (event) => storable(run, event, marking.driver))
  return { line, outcome, run: yield* reviews === null ? commit(run, facts) : reviews.endOpen(run, "Mark", facts) }
}, (self, read) => Effect.annotateLogs(self, runFields(read)))

/**
 * Applies a side-effect flag to a run. If the mark leaves a batch undecided, its reviewers are ended and that is
 * recorded. If another process commits first, the mark is decided again on the new state. A `pinned` mark is for
 * exactly this head and fails with LogConflict instead. Returns the resolution line, the outcome and the run.
 */
export const applyMark = Effect.fn("MarkStep.applyMark")(
  function*(run: Run, marking: MarkRequest, ending: LateReviewing, pinned: boolean) {
    const once = (read: Run) => applyOnce(read, marking, ending)
    return yield* pinned ? once(run) : transact(run, once)
  }
)

type SideEffect = Extract<Action, { readonly _tag: "SideEffect" }>

/** The run for a mark: the present one. Only a mark of failed tests is for the run that it names. */
const markedRun = Effect.fnUntraced(function*(
  settings: Settings,
  action: SideEffect,
  ending: LateReviewing,
  place: WorkPlace
) {
  const { answers, mark } = action
  const named = mark._tag === "AddressFailed" && answers !== undefined ? answers.run : null
  if (named !== null) return yield* openNamed(settings, place, named)
  const endReplaced = (previous: Run | null) =>
    previous === null ? Effect.void : Effect.flatMap(ending, ({ endReviews }) => endReviews(previous, "Fresh"))
  const { previous, run } = yield* openRun(settings, place, "mark", endReplaced)
  yield* noteOpened(run)
  // Once more, because another step may have started reviewers in the replaced run meanwhile.
  yield* endReplaced(previous)
  return run
})

const marked = Effect.fnUntraced(
  function*(settings: Settings, action: SideEffect, ending: LateReviewing, place: WorkPlace) {
    const run = yield* markedRun(settings, action, ending, place)
    const { block, ceiling, expectHead, retries, trustFrom } = settings
    const { answers, driver, mark } = action
    const marking = { mark, answers, driver, ceiling, retries, block, trustFrom }
    const applied = yield* applyMark(run, marking, ending, expectHead !== null)
    yield* tidy(applied.run)
    return applied satisfies StepResult
  }
)

/** Applies a side-effect flag to the run of the settings. */
export const markStep = Effect.fn("MarkStep.markStep")(
  function*(settings: Settings, action: SideEffect, ending: LateReviewing, cwd: string) {
    // A mark does not wait, but a wrong value in the environment is an error for it too.
    yield* pollInterval
    const place = yield* locate(settings, cwd)
    const { target } = place
    return yield* explainFullDisk(target.root, withScratchpad(target, marked(settings, action, ending, place)))
  },
  (self, { identityTimeout }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)
