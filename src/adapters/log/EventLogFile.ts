// EventLogFile: the live event log: each log one file of verified lines in its run's directory.
// A line is committed if and only if it ends in a newline. A log that is wrong in any other way is refused.
import { Clock, Effect, Layer, Stream } from "effect"
import type { Author } from "../../core/log/Frame.ts"
import { beginning, type Head, sameHead } from "../../core/log/Head.ts"
import type { StreamKind, Tagged } from "../../core/log/StreamKind.ts"
import type { RunRef } from "../../core/run/Refs.ts"
import { EventLog, type LogContents, LogMissing, LogUnavailable } from "../../services/EventLog.ts"
import { append } from "./Append.ts"
import { reading, writing } from "./Faults.ts"
import { type Files, nodeFiles, type OpenMode } from "./Files.ts"
import { type Anchor, start } from "./Head.ts"
import { thisProcess } from "./Line.ts"
import { type LockFailed, withFileLock } from "./Lock.ts"
import { type LogFile, logFile } from "./LogFile.ts"
import { type Read, readAfter, readAfterHead } from "./Read.ts"
import { stream } from "./Stream.ts"
import { note, recovered } from "../../services/Note.ts"
import type { SystemFault } from "../../services/SystemFault.ts"

/** How the log touches the machine; tests replace parts of it. */
export interface Machine {
  readonly files: Files
  readonly locked: <A, E, R>(file: string, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LockFailed, R>
  readonly author: Author
}

const thisMachine: Machine = { files: nodeFiles, locked: withFileLock, author: thisProcess }

const isAbsent = (fault: SystemFault): boolean => fault._tag === "SystemRefused" && fault.code === "ENOENT"

const contents = <E>({ end, lines, torn }: Read<E>): LogContents<E> => ({
  commits: lines,
  head: { seq: end.seq, hash: end.hash },
  torn
})

/** The event log on a machine. */
export const make = ({ author, files, locked }: Machine): EventLog["Service"] => {
  // The ends of the logs that this process has seen, so that a loop reads only what is new.
  const ends = new Map<string, Anchor>()
  const place = ({ names }: Pick<LogFile<Tagged>, "names">, head: Head): Anchor | null => {
    const end = ends.get(names.log)
    return end !== undefined && sameHead(end, head) ? end : null
  }

  const read = <E extends Tagged>(log: LogFile<E>, pass: () => Read<E>) => {
    const once = reading(log.names.log, pass)
    return once.pipe(
      // A reader that meets a repair may see bytes of before and after; only damage that stays is damage.
      Effect.catchTag("LogDamaged", (error) => Effect.andThen(recovered("the log is read again")(error), once)),
      Effect.map((result) => {
        ends.set(log.names.log, result.end)
        return contents(result)
      })
    )
  }

  const write = <E extends Tagged>(log: LogFile<E>, mode: OpenMode, expected: Head, events: ReadonlyArray<E>) => {
    const { names } = log
    const commit = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      writing(names.log, () => {
        const at = new Date(now).toISOString()
        const known = place(log, expected) ?? start
        ends.delete(names.log)
        const end = append(log, mode, known, { expected, at, by: author, events })
        ends.set(names.log, end)
        return { seq: end.seq, hash: end.hash }
      }))
    return locked(names.lock, commit).pipe(
      Effect.tap(({ seq }) =>
        note("committed a line", { seq, events: events.map(({ _tag }) => _tag), log: names.log })
      ),
      Effect.catchTag("LockFailed", ({ path, reason }) =>
        // Without its directory a run has no lock either. Whoever creates a log has made the directory before.
        Effect.fail(isAbsent(reason) ? new LogMissing({ path: names.log }) : new LogUnavailable({ path, reason })))
    )
  }

  return EventLog.of({
    read: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef) => {
      const log = logFile(files, run, kind)
      return Effect.withSpan(read(log, () => readAfter(log, start)), "EventLog.read")
    },
    readFrom: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, head: Head) => {
      const log = logFile(files, run, kind)
      const after = read(log, () => {
        const from = place(log, head)
        return from === null ? readAfterHead(log, head) : readAfter(log, from)
      })
      return Effect.withSpan(after, "EventLog.readFrom")
    },
    stream: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) =>
      Stream.suspend(() => {
        const log = logFile(files, run, kind)
        return stream(log, after, place(log, after) ?? start, (end) => ends.set(log.names.log, end))
      }).pipe(Stream.withSpan("EventLog.stream")),
    create: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, events: ReadonlyArray<E>) => {
      const log = logFile(files, run, kind)
      const { directory } = log.names
      return writing(directory, () => files.makeDirectory(directory)).pipe(
        Effect.andThen(write(log, "create", beginning, events)),
        Effect.withSpan("EventLog.create")
      )
    },
    append: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, expected: Head, events: ReadonlyArray<E>) =>
      Effect.withSpan(write(logFile(files, run, kind), "append", expected, events), "EventLog.append")
  })
}

/** The event log of this machine. */
export const layer: Layer.Layer<EventLog> = Layer.sync(EventLog, () => make(thisMachine))
