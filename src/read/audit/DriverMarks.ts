// DriverMarks: whether a driver's marks are justified by its stream: results of agents, passing tests.
// A mark without a driver was a person's, and is not checked.
import { Effect, Option, Stream } from "effect"
import { isHeaderOf } from "../../drive/End.ts"
import type { DriverPlace } from "../../drive/Spending.ts"
import type { DrivenState } from "../../drive/State.ts"
import { suite } from "../../drive/Tests.ts"
import type { RoundMark } from "../../drive/converge/Event.ts"
import { convergeRun, type ConvergeState, type RoundState } from "../../drive/converge/State.ts"
import { lastAgent } from "../../drive/Tasks.ts"
import { EventLog, LogDamaged, LogRewound, LogTooNew } from "../../log/EventLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import { beginning, type Head } from "../../log/StreamKind.ts"
import { walkLog } from "../../log/Walk.ts"
import type { Event } from "../../run/Event.ts"
import type { Level } from "../../run/Level.ts"
import { reviewRun } from "../../run/ReviewRun.ts"
import { batchName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"

/** A mark that a driver set: in which line, about which batch. */
export interface DriverMark {
  readonly line: number
  readonly driver: string
  readonly mark: RoundMark
  readonly level: Level
  readonly batch: number
}

/** The ends of drivers whose header says something else. */
export const endProblems = (state: DrivenState | null): ReadonlyArray<string> =>
  (state?.drivers ?? []).flatMap(({ driver, end, outcome }) =>
    end === null || outcome === null || isHeaderOf(outcome, end)
      ? []
      : [`driver ${oneLine(driver)} ended as ${end._tag}, and its header is ${oneLine(outcome)}`]
  )

/** The mark that an event of a driver records; null for any other event. */
export const driverMarkOf = (event: Event, line: number): DriverMark | null => {
  if (event._tag !== "LevelOutcomeRecorded" && event._tag !== "AddressFailed") return null
  const { batch, driver, level } = event
  if (driver === undefined) return null
  const mark = event._tag === "AddressFailed"
    ? "AddressFailed"
    : ({ Clean: "RetroClean", RetrospectiveChanges: "RetroChanges", Addressed: "AddressPassed" } as const)[
      event.outcome._tag
    ]
  return { line, driver, mark, level, batch }
}

/** What is missing after the last agent of a round: an accepted result, or passing tests if the project has any. */
const unworked = (state: ConvergeState, { started: { round } }: RoundState): string | null => {
  const last = lastAgent(state, round)
  if (last?.judged?.action !== "accept") return "no agent's result was accepted"
  const commands = [...new Set(state.tests.map(({ started }) => started.command))]
  const runs = state.tests.filter(({ agents, started }) => started.round === round && agents >= last.agent)
  const asked = commands.filter((command) => runs.some(({ started }) => started.command === command))
  if (commands.length > 0 && asked.length === 0) return "no test ran after its last agent"
  return suite(asked, runs)._tag === "Green" ? null : "its tests were not green"
}

const missing = (state: ConvergeState, round: RoundState, mark: RoundMark): string | null => {
  switch (mark) {
    case "AddressFailed":
      return null
    case "RetroClean": {
      const reader = lastAgent(state, round.round, "retrospective")
      return round.skipped !== null || reader?.judged?.action === "accept" ? null : "no agent looked over the level"
    }
    case "AddressPassed":
    case "RetroChanges":
      return unworked(state, round)
  }
}

/** Why a mark is not justified by the stream of its driver, or null. A null stream: the run had no driver. */
export const markProblem = (state: ConvergeState | null, one: DriverMark): string | null => {
  const name = `${one.mark} of ${batchName(one)} by driver ${oneLine(one.driver)}`
  if (state === null || !state.drivers.some(({ driver }) => driver === one.driver)) {
    return `${name}: no such driver drove the run`
  }
  const rounds = state.rounds.filter(({ concluded, started }) =>
    started.level === one.level && started.batch === one.batch && concluded?.mark === one.mark
  )
  if (rounds.length === 0) return `${name}: no round of the driver concluded so`
  const problems = rounds.map((round) => missing(state, round, one.mark))
  return problems.includes(null) ? null : `${name}: ${problems.at(-1)}`
}

// Whether a run's log has the heads that its driver, or the plan that it converged, has recorded.
// Earlier versions recorded none, which is not checked.

/** What was decided, in words, and the last line of the log that had been read by then. */
interface NamedHead {
  readonly what: string
  readonly head: Head
}

/**
 * What is wrong with a recorded head. `line` is the line of the run's log that differs, or 0.
 * `damaged`: the line was not reached because the log is damaged before it.
 */
interface HeadProblem {
  readonly line: number
  readonly text: string
  readonly damaged: boolean
}

const named = (what: string, head: Head | undefined): ReadonlyArray<NamedHead> =>
  head === undefined ? [] : [{ what, head }]

/** The heads that a driver has recorded. */
export const headsOf = ({ rounds }: ConvergeState): ReadonlyArray<NamedHead> =>
  rounds.flatMap(({ concluded, started }) => [
    ...named(`round ${started.round} began`, started.head),
    ...named(`round ${started.round} concluded`, concluded?.head)
  ])

/**
 * Compares recorded heads with the log of their run, which is read once more up to the last of them. It must be read
 * after the log that records them: by then it has every line that was seen.
 */
export const headProblems = Effect.fn("DriverMarks.headProblems")(function*(
  run: RunRef,
  all: ReadonlyArray<NamedHead>
) {
  const wanted = new Set(all.map(({ head }) => head.seq))
  const last = all.reduce((most, { head }) => Math.max(most, head.seq), 0)
  if (last === 0) return []
  const hashes = new Map<number, string>()
  const log = yield* EventLog
  const whole = yield* log.stream(reviewRun, run, beginning).pipe(
    Stream.takeUntil(({ head }) => head.seq >= last),
    Stream.runForEach(({ lines }) =>
      Effect.sync(() => {
        for (const { hash, seq } of lines) if (wanted.has(seq)) hashes.set(seq, hash)
      })
    ),
    Effect.as(true),
    Effect.catchIf((error) => error instanceof LogDamaged || error instanceof LogRewound, () => Effect.succeed(false))
  )
  return all.flatMap(({ head: { hash, seq }, what }): ReadonlyArray<HeadProblem> => {
    const found = hashes.get(seq)
    if (found === hash) return []
    const where = `${what} on line ${seq} of the run`
    if (found !== undefined) return [{ line: seq, text: `${where}, which has another hash`, damaged: false }]
    return [{ line: 0, text: `${where}, whose log ${whole ? "ends" : "is damaged"} before it`, damaged: !whole }]
  })
})

/**
 * Why the stream of a run's driver cannot be read to its end, from where `driverOf` stopped, or null. Heads recorded
 * after that are not checked.
 */
export const driverFault = Effect.fn("DriverMarks.driverFault")(function*(run: RunRef, place: DriverPlace) {
  const walked = walkLog(convergeRun, run, place === null ? {} : { from: place })
  const last = yield* Effect.result(Stream.runLast(walked))
  if (last._tag === "Failure") return last.failure._tag === "LogMissing" ? null : last.failure
  const unknown = Option.match(last.success, {
    onNone: () => null,
    onSome: (step) => step._tag === "End" ? step.place.walked.unknown : step.after.unknown
  })
  return unknown === null ? null : new LogTooNew({ path: "the driver's stream", reason: unknown })
})
