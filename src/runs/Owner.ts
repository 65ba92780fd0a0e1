// Owner: which worktree a stored run belongs to, as far as the first line of its log tells.
import { Effect } from "effect"
import { isPlanRun, planRun } from "../core/implement/PlanRun.ts"
import { isLogEvent } from "../core/log/LogEvent.ts"
import type { StreamKind, Tagged } from "../core/log/StreamKind.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { firstLine } from "./WalkLog.ts"
import { recovered } from "../services/Note.ts"

/**
 * `Unbegun`: the log has no line yet, because a crash cut the creation short. `Unknown`: its first line cannot be read.
 */
export type Owner =
  | { readonly _tag: "Worktree"; readonly path: string }
  | { readonly _tag: "Unbegun" }
  | { readonly _tag: "Unknown" }

const unbegun: Owner = { _tag: "Unbegun" }
const unknown: Owner = { _tag: "Unknown" }

/** The owner that the first line of a log of some kind names. */
const namedIn = <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, worktreeOf: (event: E) => string | null) =>
  firstLine(kind, run).pipe(
    Effect.map((line): Owner => {
      if (line === null) return unbegun
      for (const { event } of line.happenings) {
        const path = event === null || isLogEvent(event) ? null : worktreeOf(event)
        if (path !== null) return { _tag: "Worktree", path }
      }
      return unknown
    }),
    Effect.tapError(recovered("the run's owner is unknown")),
    Effect.catch((error) => Effect.succeed(error._tag === "LogMissing" ? unbegun : unknown))
  )

/** Reads the first line of a run's log. Never fails: where that line cannot be read, the owner is unknown. */
export const ownerOf = Effect.fn("Owner.ownerOf")((run: RunRef) =>
  isPlanRun(run)
    ? namedIn(planRun, run, (event) => event._tag === "PlanStarted" ? event.worktree : null)
    : namedIn(reviewRun, run, (event) => event._tag === "RunCreated" ? event.worktree : null)
)
