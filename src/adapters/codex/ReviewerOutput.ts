// ReviewerOutput: what an ended reviewer left in its files, within bounds.
// The log holds standard error and, once there is an exit file, standard output after it. A missing file is empty.
import { existsSync, fstatSync } from "node:fs"
import type { Digest } from "../../core/run/Event.ts"
import { digestOf, digestOfFile } from "../store/Digests.ts"
import type { AttemptFiles } from "../store/Layout.ts"
import { notedEnd } from "../process/Ending.ts"
import { hasCode } from "../process/SystemError.ts"
import { sliceOf, textOf, withFile } from "../process/Slices.ts"

/** How much of each end of standard error is read. */
export const logBytes = 64 * 1024
/** How much of standard output is read. The end of a cut text names both sizes. */
export const outBytes = 8 * 1024 * 1024

/** The text that replaces the rest of a standard output that is too large. */
export const cutMarker = (size: number): string => `\n[cut: the first ${outBytes} of ${size} bytes]\n`

/** Where a reviewer's streams are. */
export type StreamFiles = Pick<AttemptFiles, "log" | "out" | "exit" | "journal">

export interface ReviewerOutput {
  readonly logHead: string
  readonly logTail: string
  readonly out: string
  readonly digests: { readonly log: Digest; readonly out: Digest }
}

const sized = <A>(path: string, empty: A, use: (fd: number, size: number) => A): A => {
  try {
    return withFile(path, (fd) => use(fd, fstatSync(fd).size))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return empty
    throw error
  }
}

const nothing = digestOf(Buffer.alloc(0))

const read = (files: StreamFiles, digest: (fd: number) => Digest): ReviewerOutput => {
  const out = sized(files.out, { text: "", size: 0, digest: nothing }, (fd, size) => ({
    text: textOf(sliceOf(fd, 0, Math.min(size, outBytes))) + (size > outBytes ? cutMarker(size) : ""),
    size,
    digest: digest(fd)
  }))
  // The wrapper appends the one to the other before it writes the exit file. Wrappers of version 0.1.0 do not tell how
  // long standard error was by then.
  const told = notedEnd(files.journal)?.logBytes ?? null
  const appended = existsSync(files.exit) ? out.size : 0
  const log = sized(files.log, { head: "", tail: "", digest: nothing }, (fd, size) => {
    const end = Math.min(size, told ?? Math.max(0, size - appended))
    const head = Math.min(end, logBytes)
    return {
      head: textOf(sliceOf(fd, 0, head)),
      tail: textOf(sliceOf(fd, end - head, head)),
      digest: digest(fd)
    }
  })
  return {
    logHead: log.head,
    logTail: log.tail,
    out: out.text,
    digests: { log: log.digest, out: out.digest }
  }
}

/** Reads what the current attempt of a slot left. Throws what the system throws. */
export const outputOf = (files: StreamFiles): ReviewerOutput => read(files, digestOfFile)

/** Whether the log ends with standard output, as far as both are read. Throws what the system throws. */
export const isJoined = ({ log, out }: StreamFiles): boolean =>
  sized(out, true, (outFd, size) =>
    sized(log, false, (logFd, whole) => {
      const from = whole - size
      const read = Math.min(size, outBytes)
      return from >= 0 && sliceOf(outFd, 0, read).equals(sliceOf(logFd, from, read))
    }))

/** The same without the digests: of a transcript only its ends are read then. */
export const textsOf = (files: StreamFiles): Omit<ReviewerOutput, "digests"> => {
  const { digests: _, ...texts } = read(files, () => nothing)
  return texts
}
