// StrictAnswer: decides a mark on a strict run, after gathering what the decision needs: the code and the whole log.
// A mark that the run does not wait for is refused before anything is committed.
import { Effect, Schema } from "effect"
import type { Answers } from "../core/loop/Invocation.ts"
import { isRecording, type Mark } from "../core/loop/Mark.ts"
import { Waiting } from "../core/loop/StrictDecide.ts"
import { decideStrictMark, repeatedMark, waitingText } from "../core/loop/StrictMark.ts"
import { noneWaived, type StrictState } from "../core/run/Cover.ts"
import { Level } from "../core/run/Level.ts"
import { batchesOf } from "../core/run/PastBatches.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import type { Run } from "../runs/Run.ts"
import { EventLog } from "../services/EventLog.ts"
import type { Marking } from "./ApplyMark.ts"

const Reason = Schema.TaggedUnion({
  /** The mark names no batch. */
  Unnamed: {},
  /** The mark answers another run. */
  OtherRun: { answered: Schema.String, run: Schema.String },
  /** The run, whose current batch this is, waits for something else. */
  Waits: { waiting: Waiting, level: Level, batch: Schema.Int }
})

const reasonText = Reason.match({
  Unnamed: () => "it must name the batch that it answers",
  OtherRun: ({ answered, run }) => `it answers run ${answered}, the run is ${run}; call the step`,
  Waits: ({ waiting, ...at }) => waitingText(waiting, at)
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

/** Decides a mark on a strict run. MarkRefused when the run does not wait for it. */
export const strictAnswer = Effect.fn("StrictAnswer.strictAnswer")(
  function*(run: Run, strict: StrictState, { answers, ceiling, mark, retries }: Marking) {
    const answered = answeredBy(mark, answers, run)
    if (answered instanceof MarkRefused) return yield* answered
    const log = yield* EventLog
    const { commits } = yield* log.read(reviewRun, run.ref)
    const read = commits.filter(({ seq }) => seq <= run.head.seq)
    const decideWith = (identity: Effect.Success<ReturnType<typeof presentIdentity>> | null) =>
      decideStrictMark(run.manifest, strict, { answered, mark, past: batchesOf(read) }, {
        ceiling,
        identity,
        retries,
        waived: noneWaived
      })
    // Where nothing depends on the code, nothing about the code can be in the way.
    const blind = decideWith(null)
    const decided = blind._tag === "Refused" ? decideWith(yield* presentIdentity(run.manifest)) : blind
    switch (decided._tag) {
      case "Applied":
        return decided.decision
      case "Repeated":
        return repeatedMark(read, { answered, mark, ceiling })
      case "Refused":
        return yield* new MarkRefused({
          reason: {
            _tag: "Waits",
            waiting: decided.waiting,
            level: run.manifest.current_level,
            batch: run.manifest.batch_number
          }
        })
    }
  }
)
