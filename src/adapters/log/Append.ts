// Append: the next line of a log, on condition that it still ends where the decision was made.
// It runs under the log's lock, and does nothing there that could wait.
import { Result } from "effect"
import type { Author } from "../../core/log/Frame.ts"
import { type Head, sameHead } from "../../core/log/Head.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { LogConflict, LogUnavailable } from "../../services/EventLog.ts"
import { commit } from "./Commit.ts"
import type { OpenMode } from "./Files.ts"
import { type Anchor, readAnchor, start } from "./Head.ts"
import { sha256 } from "./Line.ts"
import { type LogFile, withLog } from "./LogFile.ts"
import { checkLine } from "./Read.ts"
import { endsAt, scan } from "./Scan.ts"
import { cutTail, untoldRepairs } from "./Torn.ts"

/** What to append: events decided from `expected`, and who appends them when. */
export interface Append<E> {
  readonly expected: Head
  readonly at: string
  readonly by: Author
  readonly events: ReadonlyArray<E>
}

/**
 * Appends one line and returns where the log now ends. `known` is a place verified before, so that only what follows
 * it is read. Throws LogConflict when another process committed first, what `scan` throws, or the system's error.
 */
export const append = <E extends Tagged>(
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
    const repairs = untoldRepairs(files, names, end.offset)
    const framed = codec.encodeLine({ after: end, at, by, events: [...repairs, ...events] }, sha256)
    if (Result.isFailure(framed)) throw new LogUnavailable({ path: names.log, reason: framed.failure })
    const { bytes, line } = framed.success
    const next = { seq: line.seq, hash: line.hash, offset: end.offset + bytes.length }
    commit(files, { names, fd, end, anchored: anchor !== null }, bytes, next)
    return next
  })
}
