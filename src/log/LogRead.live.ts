// LogRead: reads an open log line by line, in constant memory, and verifies each line.
import { Effect, Option, Result, Stream } from "effect"
import { recovered } from "../platform/Note.ts"
import { type LogPart, type LogReadError, LogRewound } from "./EventLog.ts"
import { close, type Files, readFully, reading, readRange } from "./Files.live.ts"
import { type Envelope, maxLineBytes, suffix, suffixBytes } from "./Frame.ts"
import type { Line } from "./Line.ts"
import { sha256 } from "../platform/Sha256.ts"
import { type Anchor, lineError, type LogFile, openLog, readAnchor, start, withLog } from "./LogFile.live.ts"
import type { Head, TaggedEvent } from "./StreamKind.ts"

const chunkBytes = 1024 * 1024
const newline = 0x0a

/** Where a scan ended: the last committed line, and how many bytes of a torn tail follow it. */
interface ScanResult {
  readonly end: Anchor
  readonly torn: number
}

/** Whether the line that ends at this place of an open log carries this hash. */
export const endsAt = (files: Files, fd: number, at: Anchor): boolean => {
  if (at.seq === 0) return true
  const ending = `${suffix(at.hash)}\n`
  const bytes = readRange(files, fd, at.offset - suffixBytes - 1, at.offset)
  return new TextDecoder("latin1").decode(bytes) === ending
}

/** Whether a newline follows. Without one, bytes that no line can have are a torn tail. The bytes are not kept. */
const hasNewline = (files: Files, fd: number, from: number, size: number): boolean => {
  for (let position = from; position < size; position += chunkBytes) {
    if (readRange(files, fd, position, Math.min(size, position + chunkBytes)).includes(newline)) return true
  }
  return false
}

/** The end of a scan: what follows it is torn, unless the anchor says that a line was acknowledged there. */
const finish = (
  files: Files,
  fd: number,
  path: string,
  { anchor, end, size }: { readonly anchor: Anchor | null; readonly end: Anchor; readonly size: number }
): ScanResult => {
  if (anchor === null) return { end, torn: size - end.offset }
  if (end.offset < anchor.offset && size >= anchor.offset) {
    throw lineError(path, { _tag: "Damaged", kind: "no newline", torn: false }, end)
  }
  if (end.seq < anchor.seq) throw new LogRewound({ path, kind: "rolled back" })
  if (!endsAt(files, fd, anchor)) throw new LogRewound({ path, kind: "rewritten" })
  return { end, torn: size - end.offset }
}

/**
 * Verifies every line after `from` and passes it to `each` with the place where it begins. `anchor` is head.json, read
 * before the log. Throws LogDamaged, LogTooNew, LogRewound, or the system's error.
 */
export const scan = <E extends TaggedEvent>(
  { codec, files, names, room }: LogFile<E>,
  fd: number,
  from: Anchor,
  anchor: Anchor | null,
  each: (line: Envelope, begin: Anchor) => void
): ScanResult => {
  const path = names.log
  const size = files.size(fd)
  let end = from
  let position = from.offset
  // The length of an unfinished line, whose bytes are the first in the memory.
  let kept = 0
  while (position < size) {
    const wanted = Math.min(size - position, chunkBytes)
    const memory = room(kept + wanted)
    const read = readFully(files, fd, memory.subarray(kept, kept + wanted), position)
    // A writer has cut a torn tail since the size was taken.
    if (read === 0) break
    position += read
    const bytes = memory.subarray(0, kept + read)
    let begin = 0
    for (let stop = bytes.indexOf(newline); stop !== -1; stop = bytes.indexOf(newline, begin)) {
      const verified = codec.verifyLine(bytes.subarray(begin, stop), end, sha256)
      const offset = end.offset + stop - begin + 1
      if (Result.isFailure(verified)) {
        const problem = verified.failure
        const acknowledged = anchor !== null && end.offset < anchor.offset
        const torn = problem._tag === "Damaged" && problem.torn && offset === size && !acknowledged
        if (torn) return finish(files, fd, path, { anchor, end, size })
        throw lineError(path, problem, end)
      }
      each(verified.success, end)
      end = { seq: verified.success.seq, hash: verified.success.hash, offset }
      begin = stop + 1
    }
    bytes.copyWithin(0, begin)
    kept = bytes.length - begin
    if (kept >= maxLineBytes) {
      if (!hasNewline(files, fd, position, size)) return finish(files, fd, path, { anchor, end, size })
      throw lineError(path, { _tag: "Damaged", kind: "too long", torn: false }, end)
    }
  }
  return finish(files, fd, path, { anchor, end, size: position })
}

// Reading a log as commits

/** The result of a read: the lines after its start, and where they end. */
export interface ReadResult<E> extends ScanResult {
  readonly lines: ReadonlyArray<Line<E>>
}

/** Reads everything after `from`. Throws LogMissing, LogDamaged, LogTooNew, LogRewound, or the system's error. */
export const readAfter = <E extends TaggedEvent>(log: LogFile<E>, from: Anchor): ReadResult<E> => {
  const { codec, files, names } = log
  const anchor = readAnchor(files, names.head)
  return withLog(log, "read", (fd) => {
    if (!endsAt(files, fd, from)) return readAfterHead(log, from)
    const lines: Array<Line<E>> = []
    const scanned = scan(log, fd, from, anchor, (envelope, begin) => {
      const line = codec.decodeLine(envelope)
      if (Result.isFailure(line)) throw lineError(names.log, line.failure, begin)
      lines.push(line.success)
    })
    return { ...scanned, lines }
  })
}

/** Reads everything after `head` if its place in the file is not known: the whole log is verified. */
export const readAfterHead = <E extends TaggedEvent>(log: LogFile<E>, head: Head): ReadResult<E> => {
  const whole = readAfter(log, start)
  if (head.seq === 0) return whole
  checkLine(log.names.log, head, whole.lines[head.seq - 1]?.hash ?? null)
  return { ...whole, lines: whole.lines.slice(head.seq) }
}

/** Fails if the line `head.seq` of a log has another hash, or is missing. */
export const checkLine = (path: string, head: Head, found: string | null): void => {
  if (found === null) throw new LogRewound({ path, kind: "rolled back" })
  if (found !== head.hash) throw new LogRewound({ path, kind: "rewritten" })
}

// Reading a log as a stream, a bounded part at a time

// Twice the longest line, so that every part holds the end of a line; small, so that little memory is in use.
const partBytes = 2 * maxLineBytes

/** How far a stream has come, head.json from before the first line, and the failure that will end it. */
interface Progress {
  readonly from: Anchor
  readonly anchor: Anchor | null
  readonly failure: LogReadError | null
}

interface Part extends LogPart {
  readonly at: Anchor
}

/**
 * The next part: `scan` on a file that seems to end where the part does; the last part: `scan` on the whole rest.
 * `lines` receives the lines, so that those before a damage are known. Throws what `scan` throws.
 */
const next = <E extends TaggedEvent>(
  log: LogFile<E>,
  fd: number,
  after: Head,
  { anchor, from }: Progress,
  lines: Array<Envelope>
): Part => {
  const { files, names: { log: path } } = log
  const size = files.size(fd)
  const each = (line: Envelope): void => {
    if (line.seq > after.seq) lines.push(line)
    else if (line.seq === after.seq) checkLine(path, after, line.hash)
  }
  const border = from.offset + partBytes
  if (size > border) {
    const { end } = scan({ ...log, files: { ...files, size: () => border } }, fd, from, null, each)
    // A part without the end of a line is damaged or a torn tail. The scan of the whole rest decides which.
    if (end.offset > from.offset) return { lines, head: { seq: end.seq, hash: end.hash }, end: null, at: end }
  }
  // The lines that this reader has already passed on are gone, or were replaced.
  if (!endsAt(files, fd, from)) throw new LogRewound({ path, kind: size < from.offset ? "rolled back" : "rewritten" })
  const { end, torn } = scan(log, fd, from, anchor, each)
  if (end.seq < after.seq) throw new LogRewound({ path, kind: "rolled back" })
  return { lines, head: { seq: end.seq, hash: end.hash }, end: { torn, anchored: anchor !== null }, at: end }
}

/** The part before the damage; the failure follows it. */
const before = (lines: ReadonlyArray<Envelope>, after: Head): LogPart => {
  const last = lines.at(-1)
  return { lines, head: last === undefined ? after : { seq: last.seq, hash: last.hash }, end: null }
}

/**
 * The lines of a log after `after`, read from `from`, a place verified before; the last part has an `end`. `seen` is
 * called with each place reached. Takes no lock. Fails as reading does, after the lines before the damage.
 */
export const stream = <E extends TaggedEvent>(
  log: LogFile<E>,
  after: Head,
  from: Anchor,
  seen: (end: Anchor) => void
): Stream.Stream<LogPart, LogReadError> => {
  const { files, names: { head, log: path } } = log
  const page = (fd: number) =>
    Effect.fnUntraced(function*(progress: Progress) {
      if (progress.failure !== null) return yield* Effect.fail(progress.failure)
      const lines: Array<Envelope> = []
      const once = reading(path, () => {
        lines.length = 0
        return next(log, fd, after, progress, lines)
      })
      // A reader that meets a repair may see bytes from before and after it; only lasting damage is damage.
      const part = yield* Effect.result(
        Effect.catchTag(once, "LogDamaged", (error) => Effect.andThen(recovered("the log is read again")(error), once))
      )
      if (Result.isFailure(part)) {
        if (lines.length === 0) return yield* Effect.fail(part.failure)
        return [[before(lines, after)], Option.some({ ...progress, failure: part.failure })] as const
      }
      const { at, ...shown } = part.success
      seen(at)
      return [[shown], shown.end === null ? Option.some({ ...progress, from: at }) : Option.none<Progress>()] as const
    })
  return Stream.unwrap(Effect.gen(function*() {
    const anchor = yield* reading(path, () => readAnchor(files, head))
    const fd = yield* Effect.acquireRelease(
      reading(path, () => openLog(log, "read")),
      (fd) => Effect.sync(() => close(files, fd))
    )
    return Stream.paginate({ from, anchor, failure: null }, page(fd))
  }))
}
