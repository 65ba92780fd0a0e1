// ReviewEvent: which event to record of a reviewer, judged by one look at it.
// A verdict comes from the reviewer's files alone.
import { Effect } from "effect"
import { type Limits, type Overdue, overdue, whileDoing } from "../core/loop/Limits.ts"
import type { Event } from "../core/run/Event.ts"
import { type FailureKind, isTransient, remedy } from "../core/run/FailureKind.ts"
import type { Usage } from "../core/run/Usage.ts"
import type { ReviewerState } from "../core/run/ReviewerState.ts"
import { judge } from "../core/verdict/Judge.ts"
import { ReviewFiles } from "../services/ReviewFiles.ts"
import { Reviewers } from "../services/Reviewers.ts"
import type { SeenReviewer } from "./Observe.ts"
import { recovered } from "../services/Note.ts"

type Exited = Extract<ReviewerState, { readonly _tag: "Exited" }>

const longestDetail = 400

const placeOf = ({ attempt: { attempt, batch, level, slot } }: SeenReviewer) => ({ level, batch, slot, attempt })

/** What an attempt used, as a field of its event; no field where that is not known. */
const used = (usage: Usage | undefined) => usage === undefined ? {} : { usage }

const failed = (
  seen: SeenReviewer,
  kind: FailureKind,
  detail: string,
  exit: number | null,
  usage?: Usage
): Event => ({
  _tag: "ReviewFailed",
  ...placeOf(seen),
  kind,
  transient: isTransient(kind),
  message: `${kind}: ${detail.slice(0, longestDetail)} (${remedy(kind)})`,
  exit,
  ...used(usage)
})

/** A failure by a limit, told with what the reviewer did last and used if its files can be read. */
const outOfTime = Effect.fnUntraced(
  function*(seen: SeenReviewer, kind: "Deadline" | "Idle", detail: string, exit: number | null) {
    return yield* (yield* ReviewFiles).evidence(seen.attempt, { acting: false }).pipe(
      Effect.tapError(recovered("the failure is told without what the reviewer did last")),
      Effect.match({
        onFailure: () => failed(seen, kind, detail, exit),
        onSuccess: ({ logTail, usage }) => failed(seen, kind, whileDoing(detail, logTail), exit, usage)
      })
    )
  }
)

const exited = Effect.fnUntraced(function*(seen: SeenReviewer, state: Exited, acting: boolean) {
  const { status } = state
  if (state.deadline) {
    return yield* outOfTime(seen, "Deadline", "the reviewer ran into its deadline", status)
  }
  if (state.oversize === true) {
    return failed(seen, "TranscriptTooLarge", "the transcript is larger than its limit", status)
  }
  const evidence = yield* (yield* ReviewFiles).evidence(seen.attempt, { acting })
  const judged = judge(evidence, status)
  if (judged._tag === "Failed") return failed(seen, judged.kind, judged.message, status, evidence.usage)
  const { review, ...digests } = evidence.digests
  return {
    _tag: "ReviewFinished",
    ...placeOf(seen),
    verdict: judged.verdict,
    reason: judged.reason,
    source: judged.source,
    rules: judged.rules,
    findings: judged.findings.length,
    read: judged.read,
    ...digests,
    ...(review === null ? {} : { review }),
    ...used(evidence.usage)
  } satisfies Event
})

/** Ends a reviewer past a limit. One that finished by itself meanwhile is judged like any other. */
const ended = Effect.fnUntraced(function*(seen: SeenReviewer, { detail, kind }: Overdue) {
  const reviewers = yield* Reviewers
  yield* reviewers.stop([seen.attempt])
  const [after] = yield* reviewers.look([seen.attempt])
  if (after?._tag === "Exited" && after.status === 0) return yield* exited(seen, after, true)
  return kind === "Idle" ? yield* outOfTime(seen, kind, detail, null) : failed(seen, kind, detail, null)
})

/** Whether a reviewer has ended or has to be ended, so that there is something to record of it. */
export const isOver = ({ state }: SeenReviewer, limits: Limits): boolean =>
  state._tag !== "Alive" || overdue(state, limits) !== null

/**
 * The event to record of a reviewer, or null while it goes on. With `acting` a reviewer that is past a limit is ended
 * and its files are kept. Without it nothing is changed: the event is only what would be recorded.
 */
export const reviewEvent = Effect.fn("ReviewEvent.reviewEvent")(
  function*(seen: SeenReviewer, limits: Limits, acting: boolean) {
    const { state } = seen
    switch (state._tag) {
      case "Alive": {
        const late = overdue(state, limits)
        if (late === null) return null
        return acting ? yield* ended(seen, late) : failed(seen, late.kind, late.detail, null)
      }
      case "Lost":
        return failed(seen, "Lost", "the reviewer died without leaving an exit status", null)
      case "Unstarted":
        return failed(seen, "Unstarted", "the reviewer was never started", null)
      case "Exited":
        return yield* exited(seen, state, acting)
    }
  }
)
