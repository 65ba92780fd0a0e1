// StoredRun: what pruning needs to know of a stored run, of reviews or of a plan.
import { Effect } from "effect"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import { isOver, planRun } from "../core/implement/PlanRun.ts"
import type { Commit } from "../core/log/StreamKind.ts"
import { fold as foldKind } from "../core/log/Walk.ts"
import type { Event } from "../core/run/Event.ts"
import { fold } from "../core/run/Manifest.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { isKeyOf } from "../core/run/Target.ts"
import { EventLog, type LogReadError } from "../services/EventLog.ts"
import { recovered } from "../services/Note.ts"

/**
 * A run as its log tells: whether the log is about this run, whether no later call goes on with it, and when its last
 * line was written, in epoch milliseconds. `commits` are its lines where it is a run of reviews.
 */
export interface StoredRun {
  readonly _tag: "Read"
  readonly worktree: string
  readonly isOwn: boolean
  readonly isOver: boolean
  readonly lastAt: number
  readonly commits: ReadonlyArray<Commit<Event>>
}

/** What is found of a run. A crash during its creation leaves a run without a log, in which there is nothing. */
export type Found = StoredRun | { readonly _tag: "Empty" } | {
  readonly _tag: "Unreadable"
  readonly error: LogReadError
}

const unread = (error: LogReadError): Found =>
  error._tag === "LogMissing" ? { _tag: "Empty" } : { _tag: "Unreadable", error }

const timeOf = (last: { readonly at: string } | undefined): number => {
  const at = Date.parse(last?.at ?? "")
  return Number.isFinite(at) ? at : 0
}

const reviews = ({ repoId, runId, targetKey }: RunRef, commits: ReadonlyArray<Commit<Event>>): Found => {
  const manifest = fold(commits)
  if (manifest === null) return { _tag: "Empty" }
  const { fixed_point, repo_id, run_id, target, worktree } = manifest
  const isOwn = run_id === runId && repo_id === repoId && isKeyOf(targetKey, target)
  return { _tag: "Read", worktree, isOwn, isOver: fixed_point !== null, lastAt: timeOf(commits.at(-1)), commits }
}

const plan = (run: RunRef) =>
  Effect.map(EventLog.use((log) => log.read(planRun, run)), ({ commits }): Found => {
    const state = foldKind(planRun, commits)
    if (state === null) return { _tag: "Empty" }
    const { started: { runId, worktree } } = state
    const lastAt = timeOf(commits.at(-1))
    return { _tag: "Read", worktree, isOwn: runId === run.runId, isOver: isOver(state), lastAt, commits: [] }
  })

/** Reads a run. Never fails: a log that cannot be read is told. */
export const storedRun = Effect.fn("StoredRun.storedRun")((run: RunRef) =>
  (isPlanRun(run)
    ? plan(run)
    : Effect.map(EventLog.use((log) => log.read(reviewRun, run)), ({ commits }) => reviews(run, commits))).pipe(
      Effect.tapError(recovered("the run stays")),
      Effect.catch((error) => Effect.succeed(unread(error)))
    )
)
