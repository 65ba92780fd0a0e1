// samples: kinds of logs for tests of the store: what begins a log, and small events with a text.
import {
  isLogEvent,
  type LogEvent,
  type LoggedEvent,
  type StreamKind,
  type TaggedEvent
} from "../../../src/log/StreamKind.ts"
import type { Event, EventOf } from "../../../src/run/Event.ts"
import { reviewRun, type WalkedRun } from "../../../src/run/ReviewRun.ts"
import type { LogContents } from "../../../src/log/EventLog.ts"
import { added, begun, type Shopping, shopping, type ShoppingEvent } from "./shopping.ts"

/** The first event of a run. */
export const created = (over: Partial<EventOf<"RunCreated">> = {}): Event => ({
  _tag: "RunCreated",
  runId: "20261120T101112Z-000000001-p7",
  repoId: "repo",
  worktree: "/w",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 2,
  createdAt: "2026-11-20T10:11:12Z",
  because: "NoLatestPointer",
  nonce: "00ff",
  ...over
})

/** A small event with a text of its own. */
export const note = (text: string): Event => ({ _tag: "StepAborted", signal: text })

/** The repairs in a log of any kind. */
export const repairs = <E extends TaggedEvent>({ commits }: Pick<LogContents<E>, "commits">): ReadonlyArray<LogEvent> =>
  commits.flatMap(({ events }) => events.filter(isLogEvent))

/** A kind with the events that tests write. `textOf` is the text of a note, and null for any other event. */
export interface Sample<E extends TaggedEvent, S> {
  readonly kind: StreamKind<E, S>
  readonly begun: E
  readonly note: (text: string) => E
  readonly textOf: (event: LoggedEvent<E>) => string | null
}

/** The log of a review run. */
export const reviewSample: Sample<Event, WalkedRun> = {
  kind: reviewRun,
  begun: created(),
  note,
  textOf: (event) => event._tag === "StepAborted" ? event.signal : null
}

/** The log of a kind that the program does not know. */
export const shoppingSample: Sample<ShoppingEvent, Shopping> = {
  kind: shopping,
  begun,
  note: added,
  textOf: (event) => event._tag === "ItemAdded" ? event.item : null
}

/** The texts of the notes in a log, in order. */
export const textsOf = <E extends TaggedEvent, S>(
  { textOf }: Sample<E, S>,
  { commits }: Pick<LogContents<E>, "commits">
): ReadonlyArray<string> => commits.flatMap(({ events }) => events.map(textOf)).filter((text) => text !== null)

/** The texts of the notes in a review run's log. */
export const notes = (contents: Pick<LogContents<Event>, "commits">): ReadonlyArray<string> =>
  textsOf(reviewSample, contents)
