// Watch: the reviewers of a run that another process drives, for as long as their batch is not decided.
// It only looks: it records nothing and ends nothing.
import { Clock, Effect } from "effect"
import { assess, slotsOf } from "../core/run/Batch.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Row } from "../core/loop/Row.ts"
import { observe, type SeenReviewer } from "../ooda/Observe.ts"
import { gatherRows } from "../ooda/ReviewerRows.ts"
import { read, refresh, type Run } from "../runs/Run.ts"
import { Output } from "../services/Output.ts"
import { Progress } from "../services/Progress.ts"
import { Signals } from "../services/Signals.ts"
import { changeJson, changeText, endingJson, endingText } from "./WatchText.ts"

/** What the watched batch came to: its end, or that nothing of it will change unless a step is called. */
export type BatchEnd =
  | { readonly _tag: "NotStarted" }
  | { readonly _tag: "Left" }
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Unrecorded" }
  | { readonly _tag: "Failed"; readonly slots: ReadonlyArray<number> }
  | { readonly _tag: "Complete"; readonly withIssues: number; readonly size: number }

// Milliseconds: between two looks at the log and at liveness; between two looks into transcripts; and for the step
// that drives the run to record what has ended, before it counts as nobody's.
const lookEvery = 200
const showEvery = 1000
const grace = 2000

/** What the log says of the batch that was current when the watch began, or null while it is under way. */
const endOf = (manifest: Manifest, first: Manifest): BatchEnd | null => {
  const { batch } = manifest
  if (manifest.current_level !== first.current_level || manifest.batch_number !== first.batch_number) {
    return { _tag: "Left" }
  }
  // Only the step that drives the run knows whether a failure will be tried again; it records when it will not.
  const status = assess(batch, Number.POSITIVE_INFINITY)
  switch (status._tag) {
    case "NotStarted":
      return { _tag: "NotStarted" }
    case "Running":
      return null
    case "Interrupted":
      return { _tag: "Stopped" }
    case "Failed":
      return { _tag: "Failed", slots: status.failed.map(({ slot }) => slot) }
    case "Complete":
      return { _tag: "Complete", withIssues: status.withIssues, size: batch._tag === "Started" ? batch.size : 0 }
  }
}

/** Whether every reviewer that the log says is open has ended, and nothing else is due. */
const allEnded = ({ batch }: Manifest, seen: ReadonlyArray<SeenReviewer>): boolean =>
  batch._tag === "Started" && seen.length > 0 && seen.every(({ state }) => state._tag !== "Alive") &&
  slotsOf(batch, "Queued").length === 0

/** The part of a row whose change is told. Its times change with every look. */
const essence = ({ activity, slot, state }: Row): string => `${slot} ${state} ${activity}`

const follow = Effect.fnUntraced(function*(first: Run, json: boolean) {
  const output = yield* Output
  const progress = yield* Progress
  const drawn = progress.on && !json
  let run = first
  let told: ReadonlySet<string> = new Set()
  let showAt = 0
  let endedSince: number | null = null

  const tell = Effect.fnUntraced(function*(seen: ReadonlyArray<SeenReviewer>) {
    const rows = yield* gatherRows(run, seen)
    if (drawn) return yield* progress.show(rows)
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const changed = rows.filter((row) => !told.has(essence(row)))
    told = new Set(rows.map(essence))
    const text = json ? changeJson : changeText
    yield* output.write(changed.map((row) => text(row, run.manifest, at)).join(""))
  })

  while (true) {
    run = yield* refresh(run)
    const seen = yield* observe(run, false)
    const now = yield* Clock.currentTimeMillis
    endedSince = allEnded(run.manifest, seen) ? endedSince ?? now : null
    const unrecorded = endedSince !== null && now - endedSince >= grace
    const end: BatchEnd | null = endOf(run.manifest, first.manifest) ?? (unrecorded ? { _tag: "Unrecorded" } : null)
    if ((end !== null && end._tag !== "Left") || now >= showAt) {
      yield* tell(seen)
      showAt = now + showEvery
    }
    if (end !== null) {
      const at = new Date(now).toISOString()
      return yield* output.write((json ? endingJson : endingText)(end, first.manifest, at))
    }
    yield* Effect.sleep(lookEvery)
  }
})

/** Watches the current batch of a run until it is decided, or until a signal. */
export const watchRun = Effect.fn("Watch.watchRun")(function*(ref: RunRef, json: boolean) {
  const run = yield* read(ref)
  // Signals are heard before the first line is written: a person who has seen it can end the watch in order.
  yield* Effect.raceFirst((yield* Signals).asked, follow(run, json))
})
