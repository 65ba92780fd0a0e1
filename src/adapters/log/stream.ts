// stream: a run's log as a stream of verified lines, a bounded part at a time.
// The one rule: what `scan` refuses is refused here; no part is ever handed on that was not verified to its end.
import { Effect, Option, Result, Stream } from "effect"
import type { Head } from "../../core/Event.ts"
import type { Envelope } from "../../core/Line.ts"
import { type LogPart, type LogReadError, LogRewound } from "../../services/EventLog.ts"
import { reading } from "./faults.ts"
import { type Files, logNames } from "./files.ts"
import { type Anchor, readAnchor } from "./head.ts"
import { checkLine, withLog } from "./read.ts"
import { endsAt, scan } from "./scan.ts"

// Large enough that opening the file anew for every part costs nothing, small enough that memory stays flat.
const partBytes = 1024 * 1024

/** How far a stream has come, what head.json said before its first line was read, and what the stream is to end in. */
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
const next = (
  files: Files,
  run: string,
  after: Head,
  { anchor, from }: Progress,
  lines: Array<Envelope>
): Part => {
  const path = logNames(run).log
  return withLog(files, run, "read", (fd) => {
    const size = files.size(fd)
    if (!endsAt(files, fd, from)) {
      throw new LogRewound({ path, kind: size < from.offset ? "rolled back" : "rewritten" })
    }
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
    const { end, torn } = scan(files, fd, path, from, anchor, each)
    if (end.seq < after.seq) throw new LogRewound({ path, kind: "rolled back" })
    return { lines, head: { seq: end.seq, hash: end.hash }, end: { torn, anchored: anchor !== null }, at: end }
  })
}

/** The part that ends before what is wrong with the log; what is wrong follows it. */
const before = (lines: ReadonlyArray<Envelope>, after: Head): LogPart => {
  const last = lines.at(-1)
  return { lines, head: last === undefined ? after : { seq: last.seq, hash: last.hash }, end: null }
}

/**
 * The lines of a run's log after `after`, read from `from`, a place verified before; the last part has an `end`. `seen`
 * learns each place that was reached. Takes no lock and keeps no file open between parts. Fails as reading does, after
 * the lines that stand before what is wrong.
 */
export const stream = (
  files: Files,
  run: string,
  after: Head,
  from: Anchor,
  seen: (end: Anchor) => void
): Stream.Stream<LogPart, LogReadError> => {
  const names = logNames(run)
  const first = reading(names.log, (): Progress => ({ from, anchor: readAnchor(files, names.head), failure: null }))
  const page = Effect.fnUntraced(function*(progress: Progress) {
    if (progress.failure !== null) return yield* Effect.fail(progress.failure)
    const lines: Array<Envelope> = []
    const once = reading(names.log, () => {
      lines.length = 0
      return next(files, run, after, progress, lines)
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
  return Stream.unwrap(Effect.map(first, (start) => Stream.paginate(start, page)))
}
