// Commit: one line, written and made durable, or taken back.
// Nothing is acknowledged before fdatasync has returned. A failed sync is not retried: it may succeed with bytes lost.
import * as path from "node:path"
import { isSystemError } from "../process/SystemError.ts"
import type { LogFiles } from "../store/Layout.ts"
import { type Files, writeWhole } from "./Files.ts"
import { type Anchor, prepareAnchor } from "./Head.ts"

const forOthers = 0o077
const cannotBeSynced: ReadonlyArray<string> = ["EACCES", "EPERM", "EINVAL"]

/**
 * Makes the directory entries of a run durable: those of its private directories, up to the directory that holds the
 * first of them. Whoever created them may have been killed before it could do that.
 */
const syncDirectories = (files: Files, run: string): void => {
  const { uid } = files.facts(run)
  for (let directory = run;; directory = path.dirname(directory)) {
    const facts = files.facts(directory)
    const isPrivate = facts.uid === uid && (facts.mode & forOthers) === 0
    try {
      files.syncDirectory(directory)
    } catch (error) {
      // A directory of someone else may be unreadable to us, and not every file system can sync one.
      if (isPrivate || !isSystemError(error) || !cannotBeSynced.includes(error.code ?? "")) throw error
    }
    if (!isPrivate || directory === path.dirname(directory)) return
  }
}

/** An open log that ends at `end`. `anchored`: an anchor exists, so its directories were synced before. */
export interface Tail {
  readonly names: LogFiles
  readonly fd: number
  readonly end: Anchor
  readonly anchored: boolean
}

/**
 * Appends the line `bytes`, after which the log ends at `next`. Durable when it returns. On any failure the log is cut
 * back to where it was and the failure thrown: no line is half there, and none stands that was not acknowledged.
 */
export const commit = (files: Files, tail: Tail, bytes: Uint8Array, next: Anchor): void => {
  const { anchored, end, fd, names } = tail
  prepareAnchor(files, names.newHead, next)
  let syncing = false
  try {
    writeWhole(files, fd, names.log, bytes)
    syncing = true
    files.datasync(fd)
    syncing = false
    if (!anchored) syncDirectories(files, names.directory)
    files.rename(names.newHead, names.head)
  } catch (error) {
    takeBack(files, fd, end.offset, syncing)
    throw error
  }
}

const takeBack = (files: Files, fd: number, offset: number, syncFailed: boolean): void => {
  try {
    files.truncate(fd, offset)
    if (!syncFailed) files.datasync(fd)
  } catch {
    // The first failure is the one to report; a tail that stays is cut by the next writer.
  }
}
