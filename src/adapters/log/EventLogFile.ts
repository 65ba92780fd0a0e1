// EventLogFile: the live event log, one file of verified lines in a run's directory.
// The one rule: a line is committed if and only if it ends in a newline; what else is wrong is refused, never skipped.
import { Clock, Effect, Layer, Stream } from "effect"
import type { Event, Head } from "../../core/run/Event.ts"
import { type Author, beginning } from "../../core/log/Line.ts"
import { EventLog, type LogContents, LogUnavailable } from "../../services/EventLog.ts"
import { type LockFailed, withFileLock } from "./Lock.ts"
import { append } from "./Append.ts"
import { reading, writing } from "./Faults.ts"
import type { RunRef } from "../../core/run/Refs.ts"
import { type LogFiles, logFiles } from "../store/Layout.ts"
import { type Files, nodeFiles, type OpenMode } from "./Files.ts"
import { type Anchor, start } from "./Head.ts"
import { thisProcess } from "./Line.ts"
import { type Read, readAfter, readAfterHead, sameHead } from "./Read.ts"
import { stream } from "./Stream.ts"

/** How the log touches the machine; tests replace parts of it. */
export interface Machine {
  readonly files: Files
  readonly locked: <A, E, R>(file: string, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LockFailed, R>
  readonly author: Author
}

const thisMachine: Machine = { files: nodeFiles, locked: withFileLock, author: thisProcess }

const contents = ({ end, lines, torn }: Read): LogContents => ({
  commits: lines,
  head: { seq: end.seq, hash: end.hash },
  torn
})

/** The event log on a machine. */
export const make = (machine: Machine): EventLog["Service"] => {
  const { author, files, locked } = machine
  // Where the logs that this process has seen ended, so that a loop reads only what is new.
  const ends = new Map<string, Anchor>()
  const place = ({ log }: LogFiles, head: Head): Anchor | null => {
    const end = ends.get(log)
    return end !== undefined && sameHead(end, head) ? end : null
  }

  const read = ({ log }: LogFiles, pass: () => Read) => {
    const once = reading(log, pass)
    return once.pipe(
      // A reader that meets a repair may see bytes of before and after; only damage that stays is damage.
      Effect.catchTag("LogDamaged", () => once),
      Effect.map((result) => {
        ends.set(log, result.end)
        return contents(result)
      })
    )
  }

  const write = Effect.fnUntraced(function*(
    names: LogFiles,
    mode: OpenMode,
    expected: Head,
    events: ReadonlyArray<Event>
  ) {
    const commit = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      writing(names.log, () => {
        const at = new Date(now).toISOString()
        const known = place(names, expected) ?? start
        ends.delete(names.log)
        const end = append(files, mode, known, { names, expected, at, by: author, events })
        ends.set(names.log, end)
        return { seq: end.seq, hash: end.hash }
      }))
    return yield* locked(names.lock, commit).pipe(
      Effect.catchTag("LockFailed", ({ path, reason }) => Effect.fail(new LogUnavailable({ path, reason })))
    )
  })

  return EventLog.of({
    read: Effect.fn("EventLog.read")((run: RunRef) => {
      const names = logFiles(run, "review")
      return read(names, () => readAfter(files, names, start))
    }),
    readFrom: Effect.fn("EventLog.readFrom")((run: RunRef, head: Head) => {
      const names = logFiles(run, "review")
      return read(names, () => {
        const from = place(names, head)
        return from === null ? readAfterHead(files, names, head) : readAfter(files, names, from)
      })
    }),
    stream: (run: RunRef, after: Head) =>
      Stream.suspend(() => {
        const names = logFiles(run, "review")
        return stream(files, names, after, place(names, after) ?? start, (end) => ends.set(names.log, end))
      }),
    create: Effect.fn("EventLog.create")(function*(run: RunRef, events: ReadonlyArray<Event>) {
      const names = logFiles(run, "review")
      yield* writing(names.directory, () => files.makeDirectory(names.directory))
      return yield* write(names, "create", beginning, events)
    }),
    append: Effect.fn("EventLog.append")((run: RunRef, expected: Head, events: ReadonlyArray<Event>) =>
      write(logFiles(run, "review"), "append", expected, events)
    )
  })
}

/** The event log of this machine. */
export const layer: Layer.Layer<EventLog> = Layer.sync(EventLog, () => make(thisMachine))
