// Stream: a run's log as a stream of verified lines, a bounded part at a time.
// The one rule: what `scan` refuses is refused here; no part is ever handed on that was not verified to its end.
import { Effect, Option, Result, Stream } from "effect"
import type { Head } from "../../core/run/Event.ts"
import { type Envelope, maxLineBytes } from "../../core/log/Line.ts"
import { type LogPart, type LogReadError, LogRewound } from "../../services/EventLog.ts"
import { reading } from "./Faults.ts"
import type { LogFiles } from "../store/Layout.ts"
import { close, type Files } from "./Files.ts"
import { type Anchor, readAnchor } from "./Head.ts"
import { checkLine, openLog } from "./Read.ts"
import { endsAt, scan } from "./Scan.ts"

// Twice the longest line, so that every part ends one; small, so that what a part holds dies young.
const partBytes = 2 * maxLineBytes

/** How far a stream has come, what head.json said before its first line was read, and what the stream is to end in. */
interface Progress {
  readonly from: Anchor
  readonly anchor: Anchor | null
  readonly failure: LogReadError | null
}

interface Part extends LogPart {
  readonly at: Anchor
}

/** An open log. */
interface Opened {
  readonly files: Files
  readonly path: string
  readonly fd: number
}

/**
 * The next part, by `scan` on a file that seems to end where the part does; the last one, by `scan` on the whole rest.
 * `lines` takes the lines, so that those before a damage are known. Throws what `scan` throws.
 */
const next = (
  { fd, files, path }: Opened,
  after: Head,
  { anchor, from }: Progress,
  lines: Array<Envelope>
): Part => {
  const size = files.size(fd)
  const each = (line: Envelope): void => {
    if (line.seq > after.seq) lines.push(line)
    else if (line.seq === after.seq) checkLine(path, after, line.hash)
  }
  const border = from.offset + partBytes
  if (size > border) {
    const { end } = scan({ ...files, size: () => border }, fd, path, from, null, each)
    // A part without the end of a line is damage, or one torn tail: the scan of the whole rest knows which.
    if (end.offset > from.offset) return { lines, head: { seq: end.seq, hash: end.hash }, end: null, at: end }
  }
  // What this reader has verified and handed on is not there any more, or something else is there.
  if (!endsAt(files, fd, from)) throw new LogRewound({ path, kind: size < from.offset ? "rolled back" : "rewritten" })
  const { end, torn } = scan(files, fd, path, from, anchor, each)
  if (end.seq < after.seq) throw new LogRewound({ path, kind: "rolled back" })
  return { lines, head: { seq: end.seq, hash: end.hash }, end: { torn, anchored: anchor !== null }, at: end }
}

/** The part that ends before what is wrong with the log; what is wrong follows it. */
const before = (lines: ReadonlyArray<Envelope>, after: Head): LogPart => {
  const last = lines.at(-1)
  return { lines, head: last === undefined ? after : { seq: last.seq, hash: last.hash }, end: null }
}

/**
 * The lines of a run's log after `after`, read from `from`, a place verified before; the last part has an `end`. `seen`
 * learns each place that was reached. Takes no lock. Fails as reading does, after the lines before what is wrong.
 */
export const stream = (
  files: Files,
  { head, log: path }: LogFiles,
  after: Head,
  from: Anchor,
  seen: (end: Anchor) => void
): Stream.Stream<LogPart, LogReadError> => {
  const page = (fd: number) =>
    Effect.fnUntraced(function*(progress: Progress) {
      if (progress.failure !== null) return yield* Effect.fail(progress.failure)
      const lines: Array<Envelope> = []
      const once = reading(path, () => {
        lines.length = 0
        return next({ files, path, fd }, after, progress, lines)
      })
      // A reader that meets a repair may see bytes of before and after; only damage that stays is damage.
      const part = yield* Effect.result(Effect.catchTag(once, "LogDamaged", () => once))
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
      reading(path, () => openLog(files, path, "read")),
      (fd) => Effect.sync(() => close(files, fd))
    )
    return Stream.paginate({ from, anchor, failure: null }, page(fd))
  }))
}
