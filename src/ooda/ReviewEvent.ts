// ReviewEvent: which event to record of a reviewer, judged by one look at it.
// A verdict comes from the reviewer's files alone.
import { Effect } from "effect"
import { type Limits, type Overdue, overdue, whileDoing } from "../core/loop/Limits.ts"
import type { Event } from "../core/run/Event.ts"
import { type FailureKind, isTransient, remedy } from "../core/run/FailureKind.ts"
import type { ReviewerState } from "../core/run/ReviewerState.ts"
import { judge } from "../core/verdict/Judge.ts"
import { ReviewFiles } from "../services/ReviewFiles.ts"
import { Reviewers } from "../services/Reviewers.ts"
import type { SeenReviewer } from "./Observe.ts"
import { recovered } from "../services/Note.ts"

type Exited = Extract<ReviewerState, { readonly _tag: "Exited" }>

const longestDetail = 400

const placeOf = ({ attempt: { attempt, batch, level, slot } }: SeenReviewer) => ({ level, batch, slot, attempt })

const failed = (seen: SeenReviewer, kind: FailureKind, detail: string, exit: number | null): Event => ({
  _tag: "ReviewFailed",
  ...placeOf(seen),
  kind,
  transient: isTransient(kind),
  message: `${kind}: ${detail.slice(0, longestDetail)} (${remedy(kind)})`,
  exit
})

/** The detail, followed by what the reviewer did last if its transcript can be read. */
const withActivity = Effect.fnUntraced(function*({ attempt }: SeenReviewer, detail: string) {
  const files = yield* ReviewFiles
  return yield* files.evidence(attempt, { acting: false }).pipe(
    Effect.tapError(recovered("the failure is told without what the reviewer did last")),
    Effect.match({ onFailure: () => detail, onSuccess: ({ logTail }) => whileDoing(detail, logTail) })
  )
})

const exited = Effect.fnUntraced(function*(seen: SeenReviewer, state: Exited, acting: boolean) {
  const { status } = state
  if (state.deadline) {
    return failed(seen, "Deadline", yield* withActivity(seen, "the reviewer ran into its deadline"), status)
  }
  if (state.oversize === true) return failed(seen, "TranscriptTooLarge", "the transcript outgrew its limit", status)
  const evidence = yield* (yield* ReviewFiles).evidence(seen.attempt, { acting })
  const judged = judge(evidence, status)
  if (judged._tag === "Failed") return failed(seen, judged.kind, judged.message, status)
  const { review, ...digests } = evidence.digests
  return {
    _tag: "ReviewFinished",
    ...placeOf(seen),
    verdict: judged.verdict,
    reason: judged.reason,
    source: judged.source,
    rules: judged.rules,
    findings: judged.findings.length,
    ...digests,
    ...(review === null ? {} : { review })
  } satisfies Event
})

/** Ends a reviewer past a limit. One that finished by itself meanwhile is judged like any other. */
const ended = Effect.fnUntraced(function*(seen: SeenReviewer, { detail, kind }: Overdue) {
  const reviewers = yield* Reviewers
  yield* reviewers.stop([seen.attempt])
  const [after] = yield* reviewers.look([seen.attempt])
  return after?._tag === "Exited" && after.status === 0
    ? yield* exited(seen, after, true)
    : failed(seen, kind, kind === "Idle" ? yield* withActivity(seen, detail) : detail, null)
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
