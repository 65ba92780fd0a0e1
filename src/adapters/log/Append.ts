// Append: the next line of a log, on condition that it still ends where the decision was made.
// The one rule: runs under the run's lock, and does nothing there that could wait.
import { Result } from "effect"
import type { Event, Head } from "../../core/run/Event.ts"
import { type Author, encodeLine } from "../../core/log/Line.ts"
import { LogConflict, LogUnavailable } from "../../services/EventLog.ts"
import { commit } from "./Commit.ts"
import type { LogFiles } from "../store/Layout.ts"
import type { Files, OpenMode } from "./Files.ts"
import { type Anchor, readAnchor, start } from "./Head.ts"
import { sha256 } from "./Line.ts"
import { checkLine, sameHead, withLog } from "./Read.ts"
import { endsAt, scan } from "./Scan.ts"
import { cutTail, untoldRepairs } from "./Torn.ts"

/** What to append: events decided from `expected`, and who appends them when. */
export interface Append {
  readonly names: LogFiles
  readonly expected: Head
  readonly at: string
  readonly by: Author
  readonly events: ReadonlyArray<Event>
}

/**
 * Appends one line and returns where the log now ends. `known` is a place verified before, so that only what follows
 * it is read. Throws LogConflict when another process committed first, what `scan` throws, or the system's error.
 */
export const append = (files: Files, mode: OpenMode, known: Anchor, request: Append): Anchor => {
  const { at, by, events, expected, names } = request
  const anchor = readAnchor(files, names.head)
  return withLog(files, names.log, mode, (fd) => {
    const from = endsAt(files, fd, known) ? known : start
    let found = sameHead(from, expected) ? from.hash : null
    const { end, torn } = scan(files, fd, names.log, from, anchor, (line) => {
      if (line.seq === expected.seq) found = line.hash
    })
    if (expected.seq > 0) checkLine(names.log, expected, found)
    if (end.seq > expected.seq) {
      throw new LogConflict({ path: names.log, expected: expected.seq, actual: end.seq })
    }
    if (torn > 0) cutTail(files, names, fd, end.offset)
    const repairs = untoldRepairs(files, names, end.offset)
    const line = encodeLine({ after: end, at, by, events: [...repairs, ...events] }, sha256)
    if (Result.isFailure(line)) throw new LogUnavailable({ path: names.log, reason: line.failure })
    const next = { ...line.success.head, offset: end.offset + line.success.bytes.length }
    commit(files, { names, fd, end, anchored: anchor !== null }, line.success.bytes, next)
    return next
  })
}
