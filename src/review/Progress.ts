// Progress: what a person who watches sees of reviewers, agents and tests: rows, and the port that shows them.
// No program reads rows back. Without the port, a step collects and shows nothing.
import { Clock, Context, Effect } from "effect"
import type { AgentRef, TestRef } from "../log/Refs.ts"
import type { ReviewRef } from "../run/Refs.ts"
import type { Slot } from "../run/Batch.ts"
import { causeText } from "../run/FailureKind.ts"
import type { Level } from "../run/Level.ts"
import type { Manifest } from "../run/Manifest.ts"
import type { Run } from "../run/Run.ts"
import { span } from "../text/Phrases.ts"
import { activityOf, terminalLine } from "../text/ProgramOutput.ts"
import type { SeenReviewer } from "./Observe.ts"

type RowState = "queued" | "running" | "ended" | "clean" | "issues" | "retrying" | "failed" | "stopped"

/** A slot as it is shown. Times in milliseconds, null if unknown. */
export interface Row {
  readonly level: Level
  readonly slot: number
  readonly state: RowState
  readonly elapsed: number | null
  readonly activity: string
  /** How long a running reviewer has written nothing new. */
  readonly silentFor: number | null
}

/** One look at a running slot: how long it has been silent and what it last did; null once it has ended. */
interface LiveSlot {
  readonly silentFor: number
  readonly activity: string
}

const part = (slot: Slot, stopped: boolean, live: LiveSlot | null, now: number): Omit<Row, "level" | "slot"> => {
  const quiet = { elapsed: null, silentFor: null }
  switch (slot._tag) {
    case "Queued":
      return { ...quiet, state: stopped && slot.attempts > 0 ? "stopped" : "queued", activity: "" }
    case "Running": {
      const elapsed = Math.max(0, now - Date.parse(slot.since))
      return live === null
        ? { state: "ended", elapsed, activity: "not recorded yet", silentFor: null }
        : { state: "running", elapsed, ...live }
    }
    case "Finished":
      return slot.verdict === "Clean"
        ? { ...quiet, state: "clean", activity: "" }
        : { ...quiet, state: "issues", activity: slot.findings === 0 ? "" : `${slot.findings} finding(s)` }
    case "Failed":
      return { ...quiet, state: "failed", activity: causeText({ ...slot, message: terminalLine(slot.message) }) }
  }
}

/** The rows of the current batch; empty before it has started. `live` has the running slots, by slot. */
export const rowsOf = (
  { batch, current_level: level }: Manifest,
  live: ReadonlyMap<number, LiveSlot>,
  now: number
): ReadonlyArray<Row> =>
  batch._tag === "NotStarted" ? [] : batch.slots.map((slot) => {
    const row = part(slot, batch.stopped, live.get(slot.slot) ?? null, now)
    const again = slot._tag === "Failed" && slot.transient && batch.failedAt === 0
    return { level, slot: slot.slot, ...row, state: again ? "retrying" : row.state }
  })

// A shorter silence is normal: the model is thinking.
const worthSaying = 5000

/** A unit of work for a person who watches: a reviewer, an agent, a test. Times as in a row. */
export interface WorkRow extends Pick<Row, "elapsed" | "activity" | "silentFor"> {
  readonly name: string
  readonly state: RowState | "waiting"
}

/** The line of a unit of work, without colour or newline. */
export const workText = ({ activity, elapsed, name, silentFor, state }: WorkRow): string => {
  const silent = silentFor === null || silentFor < worthSaying ? "" : `(${span(silentFor)} ago)`
  const time = elapsed === null ? "" : span(elapsed)
  const doing = silent === "" ? activity : `${activity} ${silent}`.trim()
  return [name.padEnd(8), state.padEnd(8), time.padStart(6), doing].join("  ").trimEnd()
}

/** A row as a unit of work. */
export const workRowOf = (row: Row): WorkRow => ({ ...row, name: `${row.level}-${row.slot}` })

/** The end of an output, whose first line may be cut, and when anything was printed last (epoch milliseconds). */
export interface PrintedTail {
  readonly end: string
  readonly at: number | null
}

export interface Watcher {
  /** Whether anybody watches. If not, nothing need be collected. */
  readonly on: boolean
  /** The last few KiB of an attempt's transcript so far, whose first line may be cut; empty if it cannot be read. */
  readonly tail: (review: ReviewRef) => Effect.Effect<string>
  /** The output of an agent or a test so far; empty if it cannot be read. */
  readonly printed: (work: AgentRef | TestRef) => Effect.Effect<PrintedTail>
  /** Replaces the rows, below `head`. Never fails: what cannot be drawn is left out. */
  readonly show: (work: ReadonlyArray<WorkRow>, head?: ReadonlyArray<string>) => Effect.Effect<void>
  /** Removes what is shown, so that a header can be written in its place. */
  readonly clear: Effect.Effect<void>
}

/** No output. */
export const nothingPrinted: PrintedTail = { end: "", at: null }

/** No one watches. */
export const silent: Watcher = {
  on: false,
  tail: () => Effect.succeed(""),
  printed: () => Effect.succeed(nothingPrinted),
  show: () => Effect.void,
  clear: Effect.void
}

export const Progress = Context.Reference<Watcher>("ooda-codex-review/services/Progress", {
  defaultValue: () => silent
})

/** The rows of a run now, with what one look showed of its open attempts. */
export const gatherRows = Effect.fn("Progress.gatherRows")(function*(run: Run, seen: ReadonlyArray<SeenReviewer>) {
  const { tail } = yield* Progress
  const live = new Map<number, LiveSlot>()
  for (const { attempt, state } of seen) {
    if (state._tag !== "Alive") continue
    const activity = activityOf(yield* tail(attempt))
    live.set(attempt.slot, { silentFor: state.silentFor, activity })
  }
  return rowsOf(run.manifest, live, yield* Clock.currentTimeMillis) satisfies ReadonlyArray<Row>
})
