// ReviewerOutput: what an ended reviewer left in its files, within bounds.
// The log holds standard error and, once there is an exit file, standard output after it. A missing file is empty.
import type { Digest } from "../../core/run/Event.ts"
import { digestOf, digestOfOpened } from "../store/Digests.ts"
import type { AttemptFiles } from "../store/Layout.ts"
import { endIn, journalIn } from "../process/Journal.ts"
import { eachLine, type Open, type Opened, textOf } from "../process/Slices.ts"
import { type Ran, transcriptReader } from "../../core/verdict/Reading.ts"

/** How much of each end of standard error is read. */
export const logBytes = 64 * 1024
/** How much of standard output is read. The end of a cut text names both sizes. */
export const outBytes = 8 * 1024 * 1024

/** How large a transcript may be for its commands to be read. */
const transcriptBytes = 64 * 1024 * 1024

/** The text that replaces the rest of a standard output that is too large. */
export const cutMarker = (size: number): string => `\n[cut: the first ${outBytes} of ${size} bytes]\n`

/** Where a reviewer's streams are. */
export type StreamFiles = Pick<AttemptFiles, "log" | "out" | "exit" | "journal">

export interface ReviewerOutput {
  readonly logHead: string
  readonly logTail: string
  readonly out: string
  /** The commands that standard error shows. */
  readonly transcript: Ran | null
  readonly digests: { readonly log: Digest; readonly out: Digest }
}

const nothing = digestOf(Buffer.alloc(0))

const isThere = (file: Opened | null): boolean => file !== null

/** The commands in the first `end` bytes of a transcript; null where they are too many to be read. */
const ranIn = (file: Opened, end: number): Ran | null => {
  const reader = transcriptReader()
  const standardError = { size: end, slice: (at: number, length: number) => file.slice(at, Math.min(length, end - at)) }
  return eachLine(standardError, transcriptBytes, reader.take) ? reader.ran() : null
}

const read = (
  open: Open,
  files: StreamFiles,
  digest: (file: Opened) => Digest,
  shows: (file: Opened, end: number) => Ran | null
): ReviewerOutput => {
  const out = open(files.out, (file) => {
    if (file === null) return { text: "", size: 0, digest: nothing }
    const { size } = file
    const text = textOf(file.slice(0, Math.min(size, outBytes))) + (size > outBytes ? cutMarker(size) : "")
    return { text, size, digest: digest(file) }
  })
  // The wrapper appends the one to the other before it writes the exit file. Wrappers of version 0.1.0 do not tell how
  // long standard error was by then.
  const told = endIn(open(files.journal, journalIn))?.logBytes ?? null
  const appended = open(files.exit, isThere) ? out.size : 0
  const log = open(files.log, (file) => {
    if (file === null) return { head: "", tail: "", ran: null, digest: nothing }
    const end = Math.min(file.size, told ?? Math.max(0, file.size - appended))
    const head = Math.min(end, logBytes)
    return {
      head: textOf(file.slice(0, head)),
      tail: textOf(file.slice(end - head, head)),
      ran: shows(file, end),
      digest: digest(file)
    }
  })
  return {
    logHead: log.head,
    logTail: log.tail,
    out: out.text,
    transcript: log.ran,
    digests: { log: log.digest, out: out.digest }
  }
}

/** Reads what the current attempt of a slot left. Throws what the system throws. */
export const outputOf = (open: Open, files: StreamFiles): ReviewerOutput => read(open, files, digestOfOpened, ranIn)

/** Whether the log ends with standard output, as far as both are read. Throws what the system throws. */
export const isJoined = (open: Open, { log, out }: StreamFiles): boolean =>
  open(out, (printed) =>
    printed === null || open(log, (whole) => {
      if (whole === null) return false
      const from = whole.size - printed.size
      const read = Math.min(printed.size, outBytes)
      return from >= 0 && printed.slice(0, read).equals(whole.slice(from, read))
    }))

/** The same without digests and commands, so that only the ends of a transcript are read. */
export const textsOf = (open: Open, files: StreamFiles): Omit<ReviewerOutput, "digests"> => {
  const { digests: _, ...texts } = read(open, files, () => nothing, () => null)
  return texts
}
