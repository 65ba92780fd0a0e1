// EventLog: the event log of tests, in memory, with the conflicts of the real one.
// The one rule: what the live log refuses for its meaning is refused here; only disks, locks and damage are left out.
import { Clock, Effect, Layer, Ref, Stream } from "effect"
import type { Commit, Event, Head } from "../../core/run/Event.ts"
import { type RunRef, runText } from "../../core/run/Refs.ts"
import { beginning } from "../../core/log/Line.ts"
import {
  EventLog,
  LogConflict,
  type LogContents,
  type LogError,
  LogMissing,
  type LogPart,
  LogRewound,
  LogUnavailable
} from "../../services/EventLog.ts"

interface Stored {
  readonly commit: Commit
  readonly hash: string
}
type Runs = ReadonlyMap<string, ReadonlyArray<Stored>>

const offsetBasis = 0xcbf29ce484222325n
const prime = 0x100000001b3n

/** A chained 64-digit hash (FNV-1a, repeated): it tells different histories apart, and claims no more. */
const chain = (prev: string, commit: Commit): string => {
  let hash = offsetBasis
  for (const char of `${prev}${JSON.stringify(commit)}`) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * prime)
  }
  return hash.toString(16).padStart(16, "0").repeat(4)
}

const headOf = (lines: ReadonlyArray<Stored>): Head => {
  const last = lines[lines.length - 1]
  return last === undefined ? beginning : { seq: last.commit.seq, hash: last.hash }
}

const missing = (run: RunRef) => new LogMissing({ path: run.runId })

/** Why a line cannot follow `expected`, or null. */
const refusal = (run: RunRef, lines: ReadonlyArray<Stored>, expected: Head): LogConflict | LogRewound | null => {
  const actual = lines.length
  if (expected.seq > actual) return new LogRewound({ path: run.runId, kind: "rolled back" })
  if (expected.seq > 0 && lines[expected.seq - 1]?.hash !== expected.hash) {
    return new LogRewound({ path: run.runId, kind: "rewritten" })
  }
  return expected.seq < actual ? new LogConflict({ path: run.runId, expected: expected.seq, actual }) : null
}

const next = (lines: ReadonlyArray<Stored>, events: ReadonlyArray<Event>, at: string): Stored => {
  const commit: Commit = { seq: lines.length + 1, at, events }
  return { commit, hash: chain(headOf(lines).hash, commit) }
}

const make = Effect.gen(function*() {
  const runs = yield* Ref.make<Runs>(new Map())

  const contents = Effect.fnUntraced(function*(run: RunRef, head: Head) {
    const lines = (yield* Ref.get(runs)).get(runText(run))
    if (lines === undefined) return yield* missing(run)
    const problem = refusal(run, lines, head)
    if (problem?._tag === "LogRewound") return yield* problem
    const commits = lines.slice(head.seq).map(({ commit }) => commit)
    return { commits, head: headOf(lines), torn: 0 } satisfies LogContents
  })

  const part = Effect.fnUntraced(function*(run: RunRef, after: Head) {
    const { commits, head } = yield* contents(run, after)
    const stored = (yield* Ref.get(runs)).get(runText(run)) ?? []
    const lines = commits.map((commit) => ({
      ...commit,
      by: null,
      prev: stored[commit.seq - 2]?.hash ?? "",
      hash: stored[commit.seq - 1]?.hash ?? ""
    }))
    return { lines, head, end: { torn: 0, anchored: true } } satisfies LogPart
  })

  const commit = Effect.fnUntraced(function*(
    run: RunRef,
    absent: ReadonlyArray<Stored> | null,
    expected: Head,
    events: ReadonlyArray<Event>
  ) {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const result = yield* Ref.modify(runs, (all): readonly [Head | LogError, Runs] => {
      const lines = all.get(runText(run)) ?? absent
      if (lines === null) return [missing(run), all]
      const problem = refusal(run, lines, expected)
      if (problem !== null) return [problem, all]
      if (lines.length === 0 && !events.some((event) => event._tag === "RunCreated")) {
        return [new LogUnavailable({ path: run.runId, reason: { _tag: "NotGenesis" } }), all]
      }
      const appended = [...lines, next(lines, events, at)]
      return [headOf(appended), new Map(all).set(runText(run), appended)]
    })
    return "_tag" in result ? yield* result : result
  })

  return EventLog.of({
    read: (run) => contents(run, beginning),
    readFrom: contents,
    stream: (run, after) => Stream.fromEffect(part(run, after)),
    create: (run, events) => commit(run, [], beginning, events),
    append: (run, expected, events) => commit(run, null, expected, events)
  })
})

/** An event log in memory, empty at first. */
export const layer: Layer.Layer<EventLog> = Layer.effect(EventLog, make)
