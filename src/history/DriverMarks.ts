// DriverMarks: whether the marks that a driver set rest on what its stream records: results of agents, green tests.
// A mark without a driver was a person's, and nothing is asked of it.
import { lastOf, taskIdOf } from "../core/converge/Tasks.ts"
import type { ConvergeState, RoundState } from "../core/converge/ConvergeState.ts"
import { suite } from "../core/driven/Suite.ts"
import type { RoundMark } from "../core/converge/Event.ts"
import type { Event } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import { batchName } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"

/** A mark that a driver set: in which line, about which batch. */
export interface DriverMark {
  readonly line: number
  readonly driver: string
  readonly mark: RoundMark
  readonly level: Level
  readonly batch: number
}

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

/** What is missing after the last agent of a round: an accepted result, or green tests where the project has some. */
const unworked = (state: ConvergeState, { started: { round } }: RoundState): string | null => {
  const last = lastOf(state, round)
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
      const reader = lastOf(state, round.started.round, taskIdOf(round.started.round, { _tag: "Retro" }))
      return round.skipped !== null || reader?.judged?.action === "accept" ? null : "nobody looked over the level"
    }
    case "AddressPassed":
    case "RetroChanges":
      return unworked(state, round)
  }
}

/** Why a mark does not rest on the stream of its driver; null where it does. Null as stream: nobody drove the run. */
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
