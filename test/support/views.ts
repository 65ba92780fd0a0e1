// views: runs as lists of events, and what they fold to, for the tests of what shows runs.
// Each line of a log is a second after the one before it; a driver's log begins with its first event.
import type { ConvergeEvent } from "../../src/drive/converge/Event.ts"
import { convergeRun } from "../../src/drive/converge/State.ts"
import type { PlanEvent } from "../../src/drive/plan/Event.ts"
import { planRun } from "../../src/drive/plan/State.ts"
import type { LogReadError } from "../../src/log/EventLog.ts"
import type { RunRef } from "../../src/log/Refs.ts"
import type { StreamKind, TaggedEvent } from "../../src/log/StreamKind.ts"
import { type WalkedLine, walker, type WalkState, walkStart } from "../../src/log/Walk.ts"
import type { RunNow, RunView } from "../../src/read/Look.ts"
import { statusOf } from "../../src/read/RunStatus.ts"
import { runFold, type RunFacts } from "../../src/read/RunView.ts"
import type { Event } from "../../src/run/Event.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { driving } from "../unit/drive/converge/events.ts"
import { planStarted } from "../unit/drive/plan/histories.ts"
import { created, runRef } from "../unit/run/events.ts"

type Lines<E> = ReadonlyArray<ReadonlyArray<E>>

const walked = <E extends TaggedEvent, S>(
  kind: StreamKind<E, S>,
  lines: Lines<E>,
  take: (line: WalkedLine<E, S>) => void
): void => {
  const walk = walker(kind)
  let state: WalkState<S> = walkStart
  for (const [i, events] of lines.entries()) {
    const by = { version: "", pid: 1, host: "" }
    const line = walk(state, { seq: i + 1, at: new Date(i * 1000).toISOString(), by, prev: "", hash: `h${i}`, events })
    state = line.after
    take(line)
  }
}

export interface Logs {
  /** Lines of the log of a review run; without a first one, `created` begins it. */
  readonly review?: Lines<Event>
  /** Events of its driver, a line each. */
  readonly driver?: ReadonlyArray<ConvergeEvent>
  /** Events of a plan run, a line each, after its first one. */
  readonly plan?: ReadonlyArray<PlanEvent>
  readonly failure?: LogReadError
}

/** What logs fold to. */
export const factsOf = (
  { driver, failure, plan, review }: Logs,
  ref: Partial<RunRef> = {}
): RunFacts => {
  const fold = runFold()
  if (plan === undefined) {
    const begun = review?.[0]?.[0]?._tag === "RunCreated" ? [] : [[created()]]
    walked(reviewRun, [...begun, ...review ?? []], (line) => {
      line.happenings.forEach(fold.reviewed)
      fold.line(line)
    })
  } else {
    walked(planRun, [planStarted, ...plan].map((event) => [event]), (line) => {
      line.happenings.forEach(fold.drove)
      fold.line(line)
    })
  }
  if (driver !== undefined) {
    walked(
      convergeRun,
      [driving, ...driver].map((event) => [event]),
      ({ happenings }) => happenings.forEach(fold.drove)
    )
  }
  return fold.facts({ ...runRef(), ...ref }, "/state/run", failure ?? null)
}

/** The same, looked at while so much of it lives. */
export const viewOf = (logs: Logs, now: Partial<RunNow> = {}): RunView => {
  const facts = factsOf(logs)
  const all: RunNow = { at: 3_600_000, reviewers: 0, driven: false, work: [], ...now }
  return { ...facts, ...all, status: statusOf(facts, all), directory: "/state/run", ladder: null }
}
