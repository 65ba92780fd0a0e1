// Read: a log as commits, from its beginning or from a place already verified.
// The one rule: readers take no lock and repair nothing; head.json is read before the log, never after it.
import { Result } from "effect"
import type { Head } from "../../core/log/Head.ts"
import type { Line } from "../../core/log/Line.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { LogRewound } from "../../services/EventLog.ts"
import { type Anchor, readAnchor, start } from "./Head.ts"
import { lineError } from "./Line.ts"
import { type LogFile, withLog } from "./LogFile.ts"
import { endsAt, scan, type Scanned } from "./Scan.ts"

/** What was read: the lines after the place the reading began at, and where they end. */
export interface Read<E> extends Scanned {
  readonly lines: ReadonlyArray<Line<E>>
}

/** Reads everything after `from`. Throws LogMissing, LogDamaged, LogTooNew, LogRewound, or the system's error. */
export const readAfter = <E extends Tagged>(log: LogFile<E>, from: Anchor): Read<E> => {
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

/** Reads everything after `head` when its place in the file is not known: the whole log is verified for it. */
export const readAfterHead = <E extends Tagged>(log: LogFile<E>, head: Head): Read<E> => {
  const whole = readAfter(log, start)
  if (head.seq === 0) return whole
  checkLine(log.names.log, head, whole.lines[head.seq - 1]?.hash ?? null)
  return { ...whole, lines: whole.lines.slice(head.seq) }
}

/** Refuses a log in which the line `head.seq` has another hash than the one remembered, or is not there any more. */
export const checkLine = (path: string, head: Head, found: string | null): void => {
  if (found === null) throw new LogRewound({ path, kind: "rolled back" })
  if (found !== head.hash) throw new LogRewound({ path, kind: "rewritten" })
}
