// EventLog: the event log of tests, in memory, with the conflicts of the real one.
// It refuses what the live log refuses. Only faults of disks, locks and bytes are left out.
import { Clock, Effect, Layer, Ref, Result, Stream } from "effect"
import type { Author, Envelope, Sha256 } from "../../log/Frame.ts"
import { beginning, type Head, type StreamKind, type TaggedEvent } from "../../log/StreamKind.ts"
import { type Line, lineCodec } from "../../log/Line.ts"
import { type RunRef, runText } from "../../log/Refs.ts"
import { version } from "../../platform/Version.ts"
import {
  EventLog,
  LogConflict,
  type LogContents,
  type LogError,
  LogMissing,
  type LogPart,
  LogRewound,
  LogTooNew,
  LogUnavailable
} from "../../log/EventLog.ts"

type Lines = ReadonlyArray<Envelope>
type Logs = ReadonlyMap<string, Lines>

const author: Author = { version, pid: 1 }

const offsetBasis = 0xcbf29ce484222325n
const prime = 0x100000001b3n

/** A 64-digit hash (FNV-1a, repeated). It distinguishes different histories but is not secure. */
const hashed: Sha256 = (data) => {
  let hash = offsetBasis
  for (const char of String(data)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * prime)
  }
  return hash.toString(16).padStart(16, "0").repeat(4)
}

const headOf = (lines: Lines): Head => {
  const last = lines.at(-1)
  return last === undefined ? beginning : { seq: last.seq, hash: last.hash }
}

/** Why a line cannot follow `expected`, or null. */
const refusal = (path: string, lines: Lines, expected: Head): LogConflict | LogRewound | null => {
  const actual = lines.length
  if (expected.seq > actual) return new LogRewound({ path, kind: "rolled back" })
  if (expected.seq > 0 && lines[expected.seq - 1]?.hash !== expected.hash) {
    return new LogRewound({ path, kind: "rewritten" })
  }
  return expected.seq < actual ? new LogConflict({ path, expected: expected.seq, actual }) : null
}

/** A run has one log of each kind. */
const nameOf = ({ kind }: { readonly kind: string }, run: RunRef): string => `${runText(run)} ${kind}`

const decoded = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, path: string, lines: Lines) => {
  const { decodeLine } = lineCodec(kind)
  return Effect.forEach(lines, (line): Effect.Effect<Line<E>, LogTooNew> => {
    const result = decodeLine(line)
    if (Result.isSuccess(result)) return Effect.succeed(result.success)
    const problem = result.failure
    return problem._tag === "TooNew" ? new LogTooNew({ path, reason: problem.newer }) : Effect.die(problem)
  })
}

const make = Effect.gen(function*() {
  const logs = yield* Ref.make<Logs>(new Map())

  const linesAfter = Effect.fnUntraced(function*(path: string, head: Head) {
    const lines = (yield* Ref.get(logs)).get(path)
    if (lines === undefined) return yield* new LogMissing({ path })
    const problem = refusal(path, lines, head)
    if (problem?._tag === "LogRewound") return yield* problem
    return { lines: lines.slice(head.seq), head: headOf(lines) }
  })

  const contents = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) => {
    const path = nameOf(kind, run)
    return Effect.flatMap(
      linesAfter(path, after),
      ({ head, lines }) =>
        Effect.map(decoded(kind, path, lines), (commits): LogContents<E> => ({ commits, head, torn: 0 }))
    )
  }

  const commit = Effect.fnUntraced(function*<E extends TaggedEvent, S>(
    kind: StreamKind<E, S>,
    run: RunRef,
    absent: Lines | null,
    expected: Head,
    events: ReadonlyArray<E>
  ) {
    const path = nameOf(kind, run)
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const { encodeLine } = lineCodec(kind)
    const result = yield* Ref.modify(logs, (all): readonly [Head | LogError, Logs] => {
      const lines = all.get(path) ?? absent
      if (lines === null) return [new LogMissing({ path }), all]
      const problem = refusal(path, lines, expected)
      if (problem !== null) return [problem, all]
      const next = encodeLine({ after: headOf(lines), at, by: author, events }, hashed)
      if (Result.isFailure(next)) return [new LogUnavailable({ path, reason: next.failure }), all]
      const appended = [...lines, next.success.line]
      return [headOf(appended), new Map(all).set(path, appended)]
    })
    return "_tag" in result ? yield* result : result
  })

  return EventLog.of({
    read: (kind, run) => contents(kind, run, beginning),
    readFrom: contents,
    stream: (kind, run, after) =>
      Stream.fromEffect(Effect.map(
        linesAfter(nameOf(kind, run), after),
        (part): LogPart => ({ ...part, end: { torn: 0, anchored: true } })
      )),
    create: (kind, run, events) => commit(kind, run, [], beginning, events),
    append: (kind, run, expected, events) => commit(kind, run, null, expected, events)
  })
})

/** An event log in memory, empty at first. */
export const layer: Layer.Layer<EventLog> = Layer.effect(EventLog, make)
