// LogFile: one log of a run on this machine: its files by name, and how its lines are written and read.
import { lineCodec, type LineCodec } from "../../core/log/Line.ts"
import type { StreamKind, Tagged } from "../../core/log/StreamKind.ts"
import type { RunRef } from "../../core/run/Refs.ts"
import { LogMissing } from "../../services/EventLog.ts"
import { hasCode } from "../process/SystemError.ts"
import { type LogFiles, logFiles } from "../store/Layout.ts"
import { close, type Files, type OpenMode } from "./Files.ts"

/**
 * A log: the file calls it is read and written with, its files, the codec of its lines, and the memory that its scans
 * read into. A scan keeps no byte of it, and no other one begins before it is over.
 */
export interface LogFile<E extends Tagged> {
  readonly files: Files
  readonly names: LogFiles
  readonly codec: LineCodec<E>
  /** Memory for at least so many bytes. What it held before is still there. */
  readonly room: (bytes: number) => Buffer
}

/** One memory for all that ask: fresh memory for each part of a long log costs as much as reading the part. */
const growing = (): LogFile<Tagged>["room"] => {
  let memory = Buffer.alloc(0)
  return (bytes) => {
    if (bytes > memory.length) {
      const larger = Buffer.allocUnsafeSlow(bytes)
      memory.copy(larger)
      memory = larger
    }
    return memory
  }
}

/** The log of one kind of a run. */
export const logFile = <E extends Tagged, S>(files: Files, run: RunRef, kind: StreamKind<E, S>): LogFile<E> => ({
  files,
  names: logFiles(run, kind.kind),
  codec: lineCodec(kind),
  room: growing()
})

/** Opens a log. Throws LogMissing where there is none. */
export const openLog = ({ files, names }: Pick<LogFile<Tagged>, "files" | "names">, mode: OpenMode): number => {
  try {
    return files.open(names.log, mode)
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new LogMissing({ path: names.log })
    throw error
  }
}

/** Opens a log for the length of `use`. */
export const withLog = <A>(
  log: Pick<LogFile<Tagged>, "files" | "names">,
  mode: OpenMode,
  use: (fd: number) => A
): A => {
  const fd = openLog(log, mode)
  try {
    return use(fd)
  } finally {
    close(log.files, fd)
  }
}
