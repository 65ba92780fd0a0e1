// Owner: which worktree a stored run belongs to, as far as the first line of its log tells.
import { Effect } from "effect"
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

/** Reads the first line of a run's log. Never fails: where that line cannot be read, the owner is unknown. */
export const ownerOf = Effect.fn("Owner.ownerOf")(function*(run: RunRef) {
  const first = yield* firstLine(reviewRun, run).pipe(
    Effect.map((line) => line ?? unbegun),
    Effect.tapError(recovered("the run's owner is unknown")),
    Effect.catch((error) => Effect.succeed(error._tag === "LogMissing" ? unbegun : unknown))
  )
  if (first._tag !== "Line") return first
  for (const { event } of first.happenings) {
    if (event?._tag === "RunCreated") return { _tag: "Worktree", path: event.worktree } satisfies Owner
  }
  return unknown
})
