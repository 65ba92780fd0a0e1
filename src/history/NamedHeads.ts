// NamedHeads: whether a run's log has the heads that its driver, or the plan that it converged, says it has seen.
// Earlier versions named none, and nothing is asked of those.
import { Effect, Option, Stream } from "effect"
import { convergeRun, type ConvergeState } from "../core/converge/ConvergeRun.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { DriverPlace } from "../runs/Spending.ts"
import { walkLog } from "../runs/WalkLog.ts"
import { EventLog, LogDamaged, LogRewound, LogTooNew } from "../services/EventLog.ts"

/** What was decided, in words, and the last line of the log that had been read by then. */
export interface NamedHead {
  readonly what: string
  readonly head: Head
}

/**
 * What is wrong with a named head. `line` is the line of the run's log that is another one; 0 where there is none.
 * `damaged`: the line was not reached because the log is damaged before it.
 */
export interface HeadProblem {
  readonly line: number
  readonly text: string
  readonly damaged: boolean
}

const named = (what: string, head: Head | undefined): ReadonlyArray<NamedHead> =>
  head === undefined ? [] : [{ what, head }]

/** The heads that a driver has named. */
export const headsOf = ({ rounds }: ConvergeState): ReadonlyArray<NamedHead> =>
  rounds.flatMap(({ concluded, started }) => [
    ...named(`round ${started.round} began`, started.head),
    ...named(`round ${started.round} concluded`, concluded?.head)
  ])

/**
 * Holds named heads against the log of their run, which is read once more and only so far. It has to be read after
 * whatever names them: by then it has every line that was seen.
 */
export const headProblems = Effect.fn("NamedHeads.headProblems")(function*(
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
 * Why the stream of a run's driver cannot be read to its end, from where `driverOf` came to; null where it can. What it
 * names behind that place is not looked for.
 */
export const driverFault = Effect.fn("NamedHeads.driverFault")(function*(run: RunRef, place: DriverPlace) {
  const walked = walkLog(convergeRun, run, place === null ? {} : { from: place })
  const last = yield* Effect.result(Stream.runLast(walked))
  if (last._tag === "Failure") return last.failure._tag === "LogMissing" ? null : last.failure
  const unknown = Option.match(last.success, {
    onNone: () => null,
    onSome: (step) => step._tag === "End" ? step.place.walked.unknown : step.after.unknown
  })
  return unknown === null ? null : new LogTooNew({ path: "the driver's stream", reason: unknown })
})
