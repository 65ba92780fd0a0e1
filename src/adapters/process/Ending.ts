// Ending: how a command ended, by its exit file or, where its wrapper could not put that in place, by its journal.
// Without an exit file, an end in a journal counts only in the same boot and while standard output has its length.
import * as fs from "node:fs"
import { exitStatus } from "./ExitFile.ts"
import type { JobFiles } from "./Job.ts"
import { type CommandEnd, endIn, readJournal, type Started } from "./Journal.ts"
import { bootId } from "./ProcessTable.ts"
import { sliceOf, withFile } from "./Slices.ts"
import { hasCode } from "./SystemError.ts"

/** The end that a journal records, or null where it records none. */
export const notedEnd = (journal: string): CommandEnd | null => endIn(readJournal(journal))

/**
 * The status of a command whose wrapper is gone without an exit file, or null where nobody knows it. What a journal
 * tells of an earlier boot proves nothing: the wrapper had not yet seen to it that the output is stored.
 */
export const statusWithoutFile = ({ out }: JobFiles, { end, wrapper }: Started): number | null => {
  if (end === null || wrapper.boot === null || wrapper.boot !== bootId()) return null
  return fs.statSync(out, { throwIfNoEntry: false })?.size === end.outBytes ? end.status : null
}

const chunk = 1024 * 1024

/** Copies the first bytes of a file to a place in another one. The same bytes twice are no harm. */
const copyTo = (fd: number, at: number, from: string, length: number): void =>
  withFile(from, (source) => {
    for (let done = 0; done < length;) {
      const bytes = sliceOf(source, done, Math.min(chunk, length - done))
      if (bytes.length === 0) return
      done += fs.writeSync(fd, bytes, 0, bytes.length, at + done)
    }
  })

/** Puts standard output behind standard error where the wrapper had no space for it. */
const completeLog = ({ log, out }: JobFiles, { logBytes, outBytes }: CommandEnd): void => {
  if (outBytes === 0 || fs.statSync(log, { throwIfNoEntry: false }) === undefined) return
  const fd = fs.openSync(log, "r+")
  try {
    const { size } = fs.fstatSync(fd)
    const last = logBytes === 0 ? 10 : sliceOf(fd, logBytes - 1, 1)[0]
    const from = last === 10 ? logBytes : logBytes + 1
    if (size < logBytes || size >= from + outBytes) return
    if (from > logBytes) fs.writeSync(fd, "\n", logBytes)
    copyTo(fd, from, out, outBytes)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Puts the exit file in place. Its bytes are there since the start, so that no space is needed for it. */
const putStatus = ({ exit }: JobFiles, status: number): void => {
  const text = `${status}\n`
  const fd = fs.openSync(`${exit}.new`, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
  try {
    fs.writeSync(fd, text, 0)
    fs.ftruncateSync(fd, text.length)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  fs.renameSync(`${exit}.new`, exit)
}

/** Does what the wrapper could not: completes the log, puts the exit file in place. Throws what the system throws. */
export const complete = (files: JobFiles, status: number): void => {
  const end = notedEnd(files.journal)
  if (end !== null) completeLog(files, end)
  if (exitStatus(files.exit) !== null) return
  try {
    putStatus(files, status)
  } catch (error) {
    // Another process has just done the same.
    if (!hasCode(error, "ENOENT") || exitStatus(files.exit) === null) throw error
  }
}
