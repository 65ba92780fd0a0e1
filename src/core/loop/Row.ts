// Row: one line about one reviewer for a person who watches: slot, state, elapsed time, last activity.
// A row is for people. No program reads it back.
import type { Slot } from "../run/Batch.ts"
import type { Level } from "../run/Level.ts"
import type { Manifest } from "../run/Manifest.ts"
import { onTerminal } from "../text/Activity.ts"
import { narrowSpan } from "../text/Phrases.ts"

export type RowState = "queued" | "running" | "ended" | "clean" | "issues" | "retrying" | "failed" | "stopped"

/** What is shown of a slot. Times in milliseconds, null where none is known. */
export interface Row {
  readonly level: Level
  readonly slot: number
  readonly state: RowState
  readonly elapsed: number | null
  readonly activity: string
  /** How long a running reviewer has written nothing new. */
  readonly silentFor: number | null
}

/** What one look showed of a running slot: how long it has been silent and what it last did; null when it has ended. */
export interface Live {
  readonly silentFor: number
  readonly activity: string
}

const part = (slot: Slot, stopped: boolean, live: Live | null, now: number): Omit<Row, "level" | "slot"> => {
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
      return { ...quiet, state: "failed", activity: onTerminal(slot.message) }
  }
}

/** The rows of the current batch; none before it has started. `live` tells of the running slots, by slot. */
export const rowsOf = (
  { batch, current_level: level }: Manifest,
  live: ReadonlyMap<number, Live>,
  now: number
): ReadonlyArray<Row> =>
  batch._tag === "NotStarted" ? [] : batch.slots.map((slot) => {
    const row = part(slot, batch.stopped, live.get(slot.slot) ?? null, now)
    const again = slot._tag === "Failed" && slot.transient && batch.failedAt === 0
    return { level, slot: slot.slot, ...row, state: again ? "retrying" : row.state }
  })

// A shorter silence is normal: the model is thinking.
const worthSaying = 5000

/** Whatever is worked on, for a person who watches: a reviewer, an agent, a test. Times as in a row. */
export interface Working extends Pick<Row, "elapsed" | "activity" | "silentFor"> {
  readonly name: string
  readonly state: RowState | "waiting"
}

/** The line of what is worked on, without colour or newline. */
export const workingText = ({ activity, elapsed, name, silentFor, state }: Working): string => {
  const silent = silentFor === null || silentFor < worthSaying ? "" : `(${narrowSpan(silentFor)} ago)`
  const time = elapsed === null ? "" : narrowSpan(elapsed)
  const doing = silent === "" ? activity : `${activity} ${silent}`.trim()
  return [name.padEnd(8), state.padEnd(8), time.padStart(6), doing].join("  ").trimEnd()
}

/** A row as one of all things that are worked on. */
export const workingOf = (row: Row): Working => ({ ...row, name: `${row.level}-${row.slot}` })

/** The line of a row, without colour or newline. */
export const rowText = (row: Row): string => workingText(workingOf(row))
