// EventLog.live: the event log in files, each log one file of verified lines in its run's directory.
import * as path from "node:path"
import { basename, join } from "node:path"
import { Clock, Effect, Layer, Result, Stream } from "effect"
import { note, recovered } from "../platform/Note.ts"
import { hasCode, isSystemError } from "../platform/SystemError.ts"
import type { SystemFault } from "../platform/SystemFault.ts"
import { EventLog, LogConflict, type LogContents, LogMissing, LogUnavailable } from "./EventLog.ts"
import { type LockFailed, withFileLock } from "./FileLock.live.ts"
import {
  type Files,
  nodeFiles,
  type OpenMode,
  reading,
  readRange,
  withFile,
  writeWhole,
  writing
} from "./Files.live.ts"
import { sha256 } from "../platform/Sha256.ts"
import type { Author } from "./Frame.ts"
import {
  type Anchor,
  type LogFile,
  logFile,
  type LogFiles,
  prepareAnchor,
  readAnchor,
  start,
  thisProcess,
  withLog
} from "./LogFile.live.ts"
import { checkLine, endsAt, type ReadResult, readAfter, readAfterHead, scan, stream } from "./LogRead.live.ts"
import type { RunRef } from "./Refs.ts"
import { beginning, type Head, type LogEvent, sameHead, type StreamKind, type TaggedEvent } from "./StreamKind.ts"

const forOthers = 0o077
const cannotBeSynced: ReadonlyArray<string> = ["EACCES", "EPERM", "EINVAL"]

/** Makes the directory entries of a run durable: its creator may have been killed before that. */
const syncDirectories = (files: Files, run: string): void => {
  const { uid } = files.facts(run)
  for (let directory = run;; directory = path.dirname(directory)) {
    const facts = files.facts(directory)
    const isPrivate = facts.uid === uid && (facts.mode & forOthers) === 0
    try {
      files.syncDirectory(directory)
    } catch (error) {
      // A directory of someone else may be unreadable to us, and not every file system can sync one.
      if (isPrivate || !isSystemError(error) || !cannotBeSynced.includes(error.code ?? "")) throw error
    }
    if (!isPrivate || directory === path.dirname(directory)) return
  }
}

/** An open log that ends at `end`. `anchored`: an anchor exists, so its directories were synced before. */
interface Tail {
  readonly names: LogFiles
  readonly fd: number
  readonly end: Anchor
  readonly anchored: boolean
}

/**
 * Appends the line `bytes`, after which the log ends at `next`. Durable when it returns. On any failure the log is cut
 * back to where it was and the failure is thrown: no line is written in part or without an acknowledgement.
 */
export const commit = (files: Files, tail: Tail, bytes: Uint8Array, next: Anchor): void => {
  const { anchored, end, fd, names } = tail
  prepareAnchor(files, names.newHead, next)
  let syncing = false
  try {
    writeWhole(files, fd, names.log, bytes)
    syncing = true
    files.datasync(fd)
    syncing = false
    if (!anchored) syncDirectories(files, names.directory)
    files.rename(names.newHead, names.head)
  } catch (error) {
    takeBack(files, fd, end.offset, syncing)
    throw error
  }
}

const takeBack = (files: Files, fd: number, offset: number, syncFailed: boolean): void => {
  try {
    files.truncate(fd, offset)
    if (!syncFailed) files.datasync(fd)
  } catch {
    // The first failure is the one to report; a tail that stays is cut by the next writer.
  }
}

// Torn tails

/**
 * Saves the bytes of an open log from `offset` to its end in `torn/<offset>-<sha8>`, then cuts them off. If it is
 * killed in between, the next writer finds the same bytes and saves them under the same name.
 */
export const cutTail = (files: Files, names: LogFiles, fd: number, offset: number): void => {
  const bytes = readRange(files, fd, offset, files.size(fd))
  const kept = join(names.torn, `${offset}-${sha256(bytes).slice(0, 8)}`)
  files.makeDirectory(names.torn)
  withFile(files, kept, "replace", (evidence) => {
    writeWhole(files, evidence, kept, bytes)
    files.datasync(evidence)
  })
  files.syncDirectory(names.torn)
  files.syncDirectory(names.directory)
  files.truncate(fd, offset)
  files.datasync(fd)
}

/**
 * The repairs at the end of a log that no line records yet: evidence cut at exactly the offset where the next line will
 * begin. Found again from the directory, so a writer killed after cutting leaves no repair unrecorded.
 */
export const unrecordedRepairs = (files: Files, names: LogFiles, offset: number): ReadonlyArray<LogEvent> => {
  try {
    return files.list(names.torn).filter((name) => name.startsWith(`${offset}-`)).sort().map((name) => ({
      _tag: "TailRepaired",
      offset,
      bytes: files.facts(join(names.torn, name)).size,
      kept: `${basename(names.torn)}/${name}`
    }))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return []
    throw error
  }
}

// Appending

/** The input of an append: events decided from `expected`, their author and time. */
interface Append<E> {
  readonly expected: Head
  readonly at: string
  readonly by: Author
  readonly events: ReadonlyArray<E>
}

/**
 * Appends one line and returns where the log now ends. `known` is a place verified before, so that only what follows it
 * is read. Throws LogConflict if another process committed first, what `scan` throws, or the system's error.
 */
export const append = <E extends TaggedEvent>(
  log: LogFile<E>,
  mode: OpenMode,
  known: Anchor,
  { at, by, events, expected }: Append<E>
): Anchor => {
  const { codec, files, names } = log
  const anchor = readAnchor(files, names.head)
  return withLog(log, mode, (fd) => {
    const from = endsAt(files, fd, known) ? known : start
    let found = sameHead(from, expected) ? from.hash : null
    const { end, torn } = scan(log, fd, from, anchor, (line) => {
      if (line.seq === expected.seq) found = line.hash
    })
    if (expected.seq > 0) checkLine(names.log, expected, found)
    if (end.seq > expected.seq) {
      throw new LogConflict({ path: names.log, expected: expected.seq, actual: end.seq })
    }
    if (torn > 0) cutTail(files, names, fd, end.offset)
    const repairs = unrecordedRepairs(files, names, end.offset)
    const framed = codec.encodeLine({ after: end, at, by, events: [...repairs, ...events] }, sha256)
    if (Result.isFailure(framed)) throw new LogUnavailable({ path: names.log, reason: framed.failure })
    const { bytes, line } = framed.success
    const next = { seq: line.seq, hash: line.hash, offset: end.offset + bytes.length }
    commit(files, { names, fd, end, anchored: anchor !== null }, bytes, next)
    return next
  })
}

// The port

/** The system calls of the log; tests replace parts of it. */
interface Machine {
  readonly files: Files
  readonly locked: <A, E, R>(file: string, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LockFailed, R>
  readonly author: Author
}

const thisMachine: Machine = { files: nodeFiles, locked: withFileLock, author: thisProcess }

const isAbsent = (fault: SystemFault): boolean => fault._tag === "SystemRefused" && fault.code === "ENOENT"

const contents = <E>({ end, lines, torn }: ReadResult<E>): LogContents<E> => ({
  commits: lines,
  head: { seq: end.seq, hash: end.hash },
  torn
})

/** The event log on a machine. */
export const make = ({ author, files, locked }: Machine): EventLog["Service"] => {
  // The ends of the logs that this process has seen, so that a loop reads only what is new.
  const ends = new Map<string, Anchor>()
  const place = ({ names }: Pick<LogFile<TaggedEvent>, "names">, head: Head): Anchor | null => {
    const end = ends.get(names.log)
    return end !== undefined && sameHead(end, head) ? end : null
  }

  const read = <E extends TaggedEvent>(log: LogFile<E>, pass: () => ReadResult<E>) => {
    const once = reading(log.names.log, pass)
    return once.pipe(
      // A reader that meets a repair may see bytes from before and after it; only lasting damage is damage.
      Effect.catchTag("LogDamaged", (error) => Effect.andThen(recovered("the log is read again")(error), once)),
      Effect.map((result) => {
        ends.set(log.names.log, result.end)
        return contents(result)
      })
    )
  }

  const write = <E extends TaggedEvent>(log: LogFile<E>, mode: OpenMode, expected: Head, events: ReadonlyArray<E>) => {
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
        // Without its directory a run has no lock either. The creator of a log has made the directory before.
        Effect.fail(isAbsent(reason) ? new LogMissing({ path: names.log }) : new LogUnavailable({ path, reason })))
    )
  }

  return EventLog.of({
    read: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef) => {
      const log = logFile(files, run, kind)
      return Effect.withSpan(read(log, () => readAfter(log, start)), "EventLog.read")
    },
    readFrom: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, head: Head) => {
      const log = logFile(files, run, kind)
      const after = read(log, () => {
        const from = place(log, head)
        return from === null ? readAfterHead(log, head) : readAfter(log, from)
      })
      return Effect.withSpan(after, "EventLog.readFrom")
    },
    stream: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) =>
      Stream.suspend(() => {
        const log = logFile(files, run, kind)
        return stream(log, after, place(log, after) ?? start, (end) => ends.set(log.names.log, end))
      }).pipe(Stream.withSpan("EventLog.stream")),
    create: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, events: ReadonlyArray<E>) => {
      const log = logFile(files, run, kind)
      const { directory } = log.names
      return writing(directory, () => files.makeDirectory(directory)).pipe(
        Effect.andThen(write(log, "create", beginning, events)),
        Effect.withSpan("EventLog.create")
      )
    },
    append: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, expected: Head, events: ReadonlyArray<E>) =>
      Effect.withSpan(write(logFile(files, run, kind), "append", expected, events), "EventLog.append")
  })
}

/** The event log of this machine. */
export const layer: Layer.Layer<EventLog> = Layer.sync(EventLog, () => make(thisMachine))
