// Read: a run's log as commits, from its beginning or from a place already verified.
// The one rule: readers take no lock and repair nothing; head.json is read before the log, never after it.
import { Result } from "effect"
import type { Head } from "../../core/run/Event.ts"
import { decodeLine, type Line } from "../../core/log/Line.ts"
import { LogMissing, LogRewound } from "../../services/EventLog.ts"
import { hasCode } from "../process/SystemError.ts"
import type { LogFiles } from "../store/Layout.ts"
import { close, type Files, type OpenMode } from "./Files.ts"
import { type Anchor, readAnchor, start } from "./Head.ts"
import { lineError } from "./Line.ts"
import { endsAt, scan, type Scanned } from "./Scan.ts"

/** What was read: the lines after the place the reading began at, and where they end. */
export interface Read extends Scanned {
  readonly lines: ReadonlyArray<Line>
}

/** Whether two places are after the same line. */
export const sameHead = (a: Head, b: Head): boolean => a.seq === b.seq && a.hash === b.hash

/** Opens a log by its path. Throws LogMissing where there is none. */
export const openLog = (files: Files, log: string, mode: OpenMode): number => {
  try {
    return files.open(log, mode)
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new LogMissing({ path: log })
    throw error
  }
}

/** Opens a log for the length of `use`. */
export const withLog = <A>(files: Files, log: string, mode: OpenMode, use: (fd: number) => A): A => {
  const fd = openLog(files, log, mode)
  try {
    return use(fd)
  } finally {
    close(files, fd)
  }
}

/** Reads everything after `from`. Throws LogMissing, LogDamaged, LogTooNew, LogRewound, or the system's error. */
export const readAfter = (files: Files, names: LogFiles, from: Anchor): Read => {
  const anchor = readAnchor(files, names.head)
  return withLog(files, names.log, "read", (fd) => {
    if (!endsAt(files, fd, from)) return readAfterHead(files, names, from)
    const lines: Array<Line> = []
    const scanned = scan(files, fd, names.log, from, anchor, (envelope, begin) => {
      const line = decodeLine(envelope)
      if (Result.isFailure(line)) throw lineError(names.log, line.failure, begin)
      lines.push(line.success)
    })
    return { ...scanned, lines }
  })
}

/** Reads everything after `head` when its place in the file is not known: the whole log is verified for it. */
export const readAfterHead = (files: Files, names: LogFiles, head: Head): Read => {
  const whole = readAfter(files, names, start)
  if (head.seq === 0) return whole
  checkLine(names.log, head, whole.lines[head.seq - 1]?.hash ?? null)
  return { ...whole, lines: whole.lines.slice(head.seq) }
}

/** Refuses a log in which the line `head.seq` has another hash than the one remembered, or is not there any more. */
export const checkLine = (path: string, head: Head, found: string | null): void => {
  if (found === null) throw new LogRewound({ path, kind: "rolled back" })
  if (found !== head.hash) throw new LogRewound({ path, kind: "rewritten" })
}
