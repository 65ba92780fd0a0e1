// RunOfWorktree: the one run of a worktree that an invocation may go on with, among those of all that share its repository id.
// The one rule: what is wrong with another worktree's run is none of this one's business; what is with its own is.
import { Effect, Option, Stream } from "effect"
import { beginning, eventFrom } from "../core/log/Line.ts"
import { fold } from "../core/run/Manifest.ts"
import { runDir } from "../core/run/Paths.ts"
import type { Run } from "./Run.ts"
import { EventLog } from "../services/EventLog.ts"
import type { Repository } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"

/** Where an invocation works: the repository, the state root, the target's root in it. */
export interface Place {
  readonly repository: Repository
  readonly stateRoot: string
  readonly root: string
}

/** Whose run a log is that cannot be read whole: its verified beginning says it. Null where there is none. */
const ownerOf = Effect.fnUntraced(function*(dir: string) {
  const log = yield* EventLog
  const part = yield* Effect.orElseSucceed(Stream.runHead(log.stream(dir, beginning)), () => Option.none())
  const event = Option.isSome(part) ? eventFrom(part.value.lines[0]?.events[0]) : null
  return event?._tag === "RunCreated" ? event.worktree : null
})

/** A run by its id, folded; fails as its log does, unless that is certain to be another worktree's. */
const load = Effect.fnUntraced(function*(place: Place, runId: string) {
  const log = yield* EventLog
  const dir = runDir(place.root, runId)
  const another = { _tag: "Another" } as const
  const read = yield* log.read(dir).pipe(
    Effect.catchTag(["LogDamaged", "LogRewound", "LogTooNew"], (error) =>
      Effect.flatMap(ownerOf(dir), (owner) =>
        owner === null || owner === place.repository.root ? Effect.fail(error) : Effect.succeed(null)))
  )
  if (read === null) return another
  const manifest = fold(read.commits)
  if (manifest === null) return { _tag: "Unreadable" } as const
  return manifest.worktree === place.repository.root
    ? { _tag: "Found", run: { dir, manifest, head: read.head } satisfies Run } as const
    : another
})

/** This worktree's newest run, for when `latest` belongs to another worktree that shares the repository id. */
const newestOf = Effect.fnUntraced(function*(place: Place) {
  const store = yield* RunStore
  for (const runId of yield* store.runs(place.root)) {
    const found = yield* load(place, runId).pipe(
      // One whose beginning is damaged is nobody's; an older run is dug out below no other.
      Effect.catchTag(["LogMissing", "LogDamaged"], (error) =>
        Effect.flatMap(ownerOf(runDir(place.root, runId)), (owner) =>
          owner === null ? Effect.succeed({ _tag: "Unreadable" } as const) : Effect.fail(error)))
    )
    if (found._tag === "Found") return found
  }
  return { _tag: "None" } as const
})

/** What `latest` leads to: the run of this worktree that is to be gone on with, or why there is none. */
export const current = Effect.fnUntraced(function*(place: Place) {
  const latest = yield* (yield* RunStore).latest(place.root)
  if (latest._tag !== "Run") return latest
  const found = yield* load(place, latest.runId)
  return found._tag === "Another" ? yield* newestOf(place) : found
})
