// Owner: which worktree a stored run belongs to, as far as the first line of its log tells.
import { Effect, Stream } from "effect"
import { beginning, eventFrom } from "../core/log/Line.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { EventLog } from "../services/EventLog.ts"

/** `Unbegun`: the log has no line yet, as after a crash while the run was created. `Unknown`: no line can be read. */
export type Owner =
  | { readonly _tag: "Worktree"; readonly path: string }
  | { readonly _tag: "Unbegun" }
  | { readonly _tag: "Unknown" }

const unbegun: Owner = { _tag: "Unbegun" }
const unknown: Owner = { _tag: "Unknown" }

/** Reads the first line of a run's log. Never fails: whatever keeps it from being read leaves the owner unknown. */
export const ownerOf = Effect.fn("Owner.ownerOf")(function*(run: RunRef) {
  const log = yield* EventLog
  const first = yield* log.stream(run, beginning).pipe(
    Stream.take(1),
    Stream.runCollect,
    Effect.map(([part]) => part?.lines[0] ?? unbegun),
    Effect.catch((error) => Effect.succeed(error._tag === "LogMissing" ? unbegun : unknown))
  )
  if ("_tag" in first) return first
  const created = first.events.map(eventFrom).find((event) => event?._tag === "RunCreated")
  return created?._tag === "RunCreated" ? { _tag: "Worktree", path: created.worktree } satisfies Owner : unknown
})
