// cleanRuns: runs whose batches are reviewed clean, event by event, and what they have shown by their end.
import type { Event } from "../../../../src/run/Event.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import type { Level } from "../../../../src/run/Level.ts"
import { evolveState, initial, type RunState } from "../../../../src/run/Manifest.ts"
import { nothingShown, show, type Shown } from "../../../../src/read/audit/Proof.ts"
import { batchStarted, created, finished, opened, started, tree } from "../../run/events.ts"

/** A batch of one clean review, of code that is `identity` at its start, and `then` at its end. */
export const cleanBatch = (
  level: Level,
  identity: Identity = tree("t1"),
  { attempt = 1, batch = 1, then = identity }: {
    readonly attempt?: number
    readonly batch?: number
    readonly then?: Identity
  } = {}
): ReadonlyArray<Event> => {
  const at = { level, batch }
  return [
    batchStarted({ ...at, size: 1, identity }),
    started({ ...at, attempt }),
    finished("Clean", { ...at, attempt }),
    { _tag: "BatchCompleted", ...at, identity: then }
  ]
}

/** A clean retrospective, and the batch that it opens. */
export const advanced = (from: Level, level: Level): ReadonlyArray<Event> => [
  { _tag: "LevelOutcomeRecorded", level: from, batch: 1, outcome: { _tag: "Clean" }, ceiling: "xhigh" },
  opened(level, 1, { from })
]

export const reached = (level: Level, by: "Reviews" | "Mark" = "Reviews"): Event => ({
  _tag: "FixedPointReached",
  level,
  batch: 1,
  ceiling: level,
  by
})

/** What a run from low has shown once these events have happened, one a line behind its creation. */
export const shownBy = (...events: ReadonlyArray<Event>): Shown => {
  let state: RunState = initial(created())
  let shown = nothingShown
  events.forEach((event, i) => {
    shown = show(shown, state, event, i + 2)
    state = evolveState(state, event, i + 2, "2030-01-01T00:00:00.000Z")
  })
  return shown
}
