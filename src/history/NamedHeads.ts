// NamedHeads: whether a run's log has the heads that its driver, or the plan that it converged, says it decided from.
// Earlier versions named none, and nothing is asked of those.
import { Effect, Stream } from "effect"
import type { ConvergeState } from "../core/converge/ConvergeRun.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { EventLog, LogDamaged, LogRewound } from "../services/EventLog.ts"

/** What was decided, in words, and the head that it was decided from. */
export interface NamedHead {
  readonly what: string
  readonly head: Head
}

/** What is wrong with a named head. `line` is the line of the run's log that is another one; 0 where there is none. */
export interface HeadProblem {
  readonly line: number
  readonly text: string
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
 * whatever names them: by then it has every line that was seen. Behind damage, which is a finding of its own, nothing
 * can be told.
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
    if (found === hash || (found === undefined && !whole)) return []
    return found === undefined
      ? [{ line: 0, text: `${what} on line ${seq} of the run, whose log ends before it` }]
      : [{ line: seq, text: `${what} on line ${seq} of the run, which has another hash` }]
  })
})
