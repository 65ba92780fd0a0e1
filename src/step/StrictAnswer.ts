// StrictAnswer: decides a mark on a strict run, after gathering what the decision needs: the code and the whole log.
// A mark that the run does not wait for is refused before anything is committed.
import { Effect, Schema } from "effect"
import type { At } from "../core/findings/Review.ts"
import { lowestBar, waivesNothing } from "../core/findings/Waiving.ts"
import type { Answers } from "../core/loop/Invocation.ts"
import { isRecording, type Mark } from "../core/loop/Mark.ts"
import { takenForClean, Waiting } from "../core/loop/StrictDecide.ts"
import { decideStrictMark, repeatedMark, waitingText } from "../core/loop/StrictMark.ts"
import { lastWithIssues, noneWaived, type StrictState } from "../core/run/Cover.ts"
import { Priority } from "../core/run/Dismissal.ts"
import { reviewsWithIssues } from "../core/run/Batch.ts"
import { Level } from "../core/run/Level.ts"
import { batchesOf, type PastBatch } from "../core/run/PastBatches.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { barOf } from "../runs/Bar.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import type { Run } from "../runs/Run.ts"
import { EventLog } from "../services/EventLog.ts"
import type { Ending, Marking } from "./ApplyMark.ts"

const Reason = Schema.TaggedUnion({
  /** The mark names no batch. */
  Unnamed: {},
  /** The mark answers another run. */
  OtherRun: { answered: Schema.String, run: Schema.String },
  /** The run waits for something else in its current batch; `block` is given where there are issues to judge. */
  Waits: { waiting: Waiting, level: Level, batch: Schema.Int, block: Schema.NullOr(Priority) }
})

const reasonText = Reason.match({
  Unnamed: () => "it must name the batch that it answers",
  OtherRun: ({ answered, run }) => `it answers run ${answered}, the run is ${run}; call the step`,
  Waits: ({ block, waiting, ...at }) =>
    waitingText(waiting, at) + (block === null ? "" : ` [judged by --block P${block}]`)
})

/** A strict run does not wait for this mark. Nothing was changed. */
export class MarkRefused extends Schema.TaggedError<MarkRefused>()("MarkRefused", { reason: Reason }) {
  override get message() {
    return `mark refused: ${reasonText(this.reason)}`
  }
}

/** The batch that a mark answers. A primitive answers none: it is about wherever the run stands. */
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

/**
 * Decides a mark on a strict run, and names the batches with issues that it takes for clean ones. MarkRefused when the
 * run does not wait for it.
 */
export const strictAnswer = Effect.fn("StrictAnswer.strictAnswer")(
  function*(run: Run, strict: StrictState, marking: Marking, ending: Ending) {
    const { answers, block, ceiling, mark, retries } = marking
    const answered = answeredBy(mark, answers, run)
    if (answered instanceof MarkRefused) return yield* answered
    const log = yield* EventLog
    const { commits } = yield* log.read(reviewRun, run.ref)
    const read = commits.filter(({ seq }) => seq <= run.head.seq)
    const past = batchesOf(read)
    const isAnswered = ({ batch, level }: At) => level === answered.level && batch === answered.batch
    const named = past.find(({ level, number }) => isAnswered({ level, batch: number }))
    const judged = isJudged(mark, strict, named)
    const at: At = { level: answered.level, batch: answered.batch }
    const bar = judged ? yield* barOf(run, marking) : lowestBar
    const others = named === undefined ? [] : [at]
    const waivers = waivesNothing(bar) ? null : yield* (yield* ending).waiversOf(run, strict, bar, others)
    const decideWith = (identity: Effect.Success<ReturnType<typeof presentIdentity>> | null) => {
      const context = { ceiling, identity, retries, waived: waivers?.waived ?? noneWaived }
      const decided = decideStrictMark(run.manifest, strict, { answered, mark, past }, context)
      const taken = mark._tag === "RetroClean" || mark._tag === "RetroChanges"
        ? [at, ...takenForClean(run.manifest, strict, context).filter((one) => !isAnswered(one))]
        : []
      if (waivers === null) return { decided, waiving: null }
      return { decided, waiving: { waivers, takenForClean: taken.filter((one) => waivers.of(one) !== null) } }
    }
    // The code is looked at only if the decision depends on it. A fault in looking then cannot be in the way otherwise.
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
