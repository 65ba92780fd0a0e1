// Owner: which worktree a stored run belongs to, as far as the first line of its log tells.
// Every mark loads this, so it asks for no event of a plan, and for no walk.
import { Array as Arrays, Effect, Option, Schema, Stream } from "effect"
import { isPlanRun, planLog } from "../core/implement/PlanLog.ts"
import { beginning } from "../core/log/Head.ts"
import type { StreamKind } from "../core/log/StreamKind.ts"
import type { RunRef, TargetRef } from "../core/run/Refs.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { EventLog } from "../services/EventLog.ts"
import { recovered } from "../services/Note.ts"
import { RunStore } from "../services/RunStore.ts"

/**
 * `Unbegun`: the log has no line yet, because a crash cut the creation short. `Unknown`: its first line cannot be read.
 */
export type Owner =
  | { readonly _tag: "Worktree"; readonly path: string }
  | { readonly _tag: "Unbegun" }
  | { readonly _tag: "Unknown" }

const unbegun: Owner = { _tag: "Unbegun" }
const unknown: Owner = { _tag: "Unknown" }

/** What the first event of a run names, whatever else it holds. */
const Creation = Schema.TaggedUnion({
  PlanStarted: { worktree: Schema.String },
  RunCreated: { worktree: Schema.String }
})

const planCreation: StreamKind<typeof Creation.Type, null> = {
  ...planLog,
  event: Creation,
  fold: { initial: () => null, evolve: () => null }
}

const creationIn = Schema.decodeUnknownOption(Creation)

const read = Effect.fnUntraced(function*(run: RunRef) {
  const log = yield* EventLog
  const parts = isPlanRun(run) ? log.stream(planCreation, run, beginning) : log.stream(reviewRun, run, beginning)
  const lines = parts.pipe(
    Stream.map(({ lines }) => lines),
    Stream.filter(Arrays.isReadonlyArrayNonEmpty),
    Stream.flattenArray
  )
  const first = yield* Stream.runHead(lines)
  if (Option.isNone(first)) return unbegun
  const [created] = Arrays.getSomes(first.value.events.map((event) => creationIn(event)))
  return created === undefined ? unknown : { _tag: "Worktree", path: created.worktree } as const
})

/** Reads the first line of a run's log. Never fails: where that line cannot be read, the owner is unknown. */
export const ownerOf = Effect.fn("Owner.ownerOf")((run: RunRef) =>
  read(run).pipe(
    Effect.tapError(recovered("the run's owner is unknown")),
    Effect.catch((error) => Effect.succeed<Owner>(error._tag === "LogMissing" ? unbegun : unknown))
  )
)

/** The newest run of a target that a worktree has begun: others may have runs of the same target; null for none. */
export const newestIn = Effect.fn("Owner.newestIn")(function*(target: TargetRef, worktree: string) {
  for (const run of yield* (yield* RunStore).runs(target)) {
    const owner = yield* ownerOf(run)
    // A run whose first line is damaged may be the one that is meant. Reading it then tells of the damage.
    if (owner._tag === "Unknown" || owner._tag === "Worktree" && owner.path === worktree) return run
  }
  return null
})
