// Walk: the events of verified lines, one by one, each with the state of the run before and after it.
// The one rule: one state at a time, so that a log of any length is walked in constant memory.
import type { Event } from "../core/run/Event.ts"
import { type Envelope, eventFrom, eventName, isIgnorable } from "../core/log/Line.ts"
import type { Newer } from "../core/log/LineProblem.ts"
import { evolveState, initial, type RunState } from "../core/run/Manifest.ts"

/** How far a log has been walked. */
export interface Walked {
  /** Null before the run's creation, and from the first event on that this version must know and does not. */
  readonly state: RunState | null
  /** How many records `level_history` has by now. */
  readonly records: number
  /** What this version does not know and cannot go on without, or null. */
  readonly unknown: Newer | null
}

export const unwalked: Walked = { state: null, records: 0, unknown: null }

/** One event where it stands. `event` is null for one that this version does not know; `raw` is what the line holds. */
export interface Happening {
  readonly line: Envelope
  readonly index: number
  readonly raw: unknown
  readonly event: Event | null
  readonly before: Walked
  readonly after: Walked
}

/** The events of a line, null for each that this version does not know. */
export const eventsOf = ({ events }: Envelope): ReadonlyArray<Event | null> => events.map(eventFrom)

const created = (walked: Walked, event: Event): RunState | null =>
  walked.state === null && walked.unknown === null && event._tag === "RunCreated" ? initial(event) : walked.state

const step = (walked: Walked, event: Event | null, raw: unknown, { at, seq }: Envelope): Walked => {
  if (event === null) {
    if (isIgnorable(raw)) return walked
    const unknown: Newer = { _tag: "UnknownEvent", line: seq, event: eventName(raw) }
    return { ...walked, state: null, unknown: walked.unknown ?? unknown }
  }
  const state = created(walked, event)
  const next = state === null ? null : evolveState(state, event, seq, at)
  const records = event._tag === "LevelOutcomeRecorded" ? walked.records + 1 : walked.records
  return { state: next, records, unknown: walked.unknown }
}

/** Walks one line and hands each event on, with all decoded events of the line. Returns how far the walk then is. */
export const walkLine = (
  from: Walked,
  line: Envelope,
  each: (happening: Happening, events: ReadonlyArray<Event | null>) => void
): Walked => {
  const events = eventsOf(line)
  let before = from
  for (let index = 0; index < events.length; index++) {
    const event = events[index] ?? null
    const raw = line.events[index]
    const after = step(before, event, raw, line)
    each({ line, index, raw, event, before, after }, events)
    before = after
  }
  return before
}
