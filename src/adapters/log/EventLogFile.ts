// EventLogFile: the live event log, one file of verified lines in a run's directory.
// The one rule: a line is committed if and only if it ends in a newline; what else is wrong is refused, never skipped.
import { Clock, Effect, Layer, Stream } from "effect"
import type { Event, Head } from "../../core/run/Event.ts"
import { type Author, beginning } from "../../core/log/Line.ts"
import { EventLog, type LogContents, LogUnavailable } from "../../services/EventLog.ts"
import { type LockFailed, withFileLock } from "./Lock.ts"
import { append } from "./Append.ts"
import { reading, writing } from "./Faults.ts"
import { type Files, logNames, nodeFiles, type OpenMode } from "./Files.ts"
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
  // Where the runs of this process ended when last seen, so that a loop reads only what is new.
  const ends = new Map<string, Anchor>()
  const place = (run: string, head: Head): Anchor | null => {
    const end = ends.get(run)
    return end !== undefined && sameHead(end, head) ? end : null
  }

  const read = (run: string, pass: () => Read) => {
    const once = reading(logNames(run).log, pass)
    return once.pipe(
      // A reader that meets a repair may see bytes of before and after; only damage that stays is damage.
      Effect.catchTag("LogDamaged", () => once),
      Effect.map((result) => {
        ends.set(run, result.end)
        return contents(result)
      })
    )
  }

  const write = Effect.fnUntraced(function*(
    run: string,
    mode: OpenMode,
    expected: Head,
    events: ReadonlyArray<Event>
  ) {
    const names = logNames(run)
    const commit = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      writing(names.log, () => {
        const at = new Date(now).toISOString()
        const known = place(run, expected) ?? start
        ends.delete(run)
        const end = append(files, mode, known, { run, expected, at, by: author, events })
        ends.set(run, end)
        return { seq: end.seq, hash: end.hash }
      }))
    return yield* locked(names.lock, commit).pipe(
      Effect.catchTag("LockFailed", ({ path, reason }) => Effect.fail(new LogUnavailable({ path, reason })))
    )
  })

  return EventLog.of({
    read: Effect.fn("EventLog.read")((run: string) => read(run, () => readAfter(files, run, start))),
    readFrom: Effect.fn("EventLog.readFrom")((run: string, head: Head) =>
      read(run, () => {
        const from = place(run, head)
        return from === null ? readAfterHead(files, run, head) : readAfter(files, run, from)
      })
    ),
    stream: (run: string, after: Head) =>
      Stream.suspend(() => stream(files, run, after, place(run, after) ?? start, (end) => ends.set(run, end))),
    create: Effect.fn("EventLog.create")(function*(run: string, events: ReadonlyArray<Event>) {
      yield* writing(run, () => files.makeDirectory(run))
      return yield* write(run, "create", beginning, events)
    }),
    append: Effect.fn("EventLog.append")((run: string, expected: Head, events: ReadonlyArray<Event>) =>
      write(run, "append", expected, events)
    )
  })
}

/** The event log of this machine. */
export const layer: Layer.Layer<EventLog> = Layer.sync(EventLog, () => make(thisMachine))
