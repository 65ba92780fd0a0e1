// Stream: a log as a stream of verified lines, a bounded part at a time.
// It refuses what `scan` refuses. No part is handed on before it is verified to its end.
import { Effect, Option, Result, Stream } from "effect"
import { type Envelope, maxLineBytes } from "../../core/log/Frame.ts"
import type { Head } from "../../core/log/Head.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { type LogPart, type LogReadError, LogRewound } from "../../services/EventLog.ts"
import { reading } from "./Faults.ts"
import { close } from "./Files.ts"
import { type Anchor, readAnchor } from "./Head.ts"
import { type LogFile, openLog } from "./LogFile.ts"
import { checkLine } from "./Read.ts"
import { endsAt, scan } from "./Scan.ts"
import { recovered } from "../../services/Note.ts"

// Twice the longest line, so that every part holds the end of a line; small, so that little memory is in use at a time.
const partBytes = 2 * maxLineBytes

/**
 * How far a stream has come, what head.json said before the first line was read, and the failure that will end it.
 */
interface Progress {
  readonly from: Anchor
  readonly anchor: Anchor | null
  readonly failure: LogReadError | null
}

interface Part extends LogPart {
  readonly at: Anchor
}

/**
 * The next part, by `scan` on a file that seems to end where the part does; the last one, by `scan` on the whole rest.
 * `lines` takes the lines, so that those before a damage are known. Throws what `scan` throws.
 */
const next = <E extends Tagged>(
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
    // A part without the end of a line is damaged, or a torn tail. The scan of the whole rest finds out which.
    if (end.offset > from.offset) return { lines, head: { seq: end.seq, hash: end.hash }, end: null, at: end }
  }
  // The lines that this reader has verified and handed on are gone, or others are in their place.
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
 * The lines of a log after `after`, read from `from`, a place verified before; the last part has an `end`. `seen`
 * learns each place that was reached. Takes no lock. Fails as reading does, after the lines before what is wrong.
 */
export const stream = <E extends Tagged>(
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
      // A reader that meets a repair may see bytes of before and after; only damage that stays is damage.
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
