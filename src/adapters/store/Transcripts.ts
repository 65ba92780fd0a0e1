// Transcripts: cuts long transcripts down to both their ends, which is what is read of them.
// A cut needs no space. The files of a review that is not recorded yet are never cut.
import * as fs from "node:fs"
import { Effect } from "effect"
import type { Cuttable } from "../../services/RunStore.ts"
import { statusWithoutFile } from "../process/Ending.ts"
import { exitStatus } from "../process/ExitFile.ts"
import { readJournal } from "../process/Journal.ts"
import { lives } from "../process/Liveness.ts"
import { type Opened, sliceOf } from "../process/Slices.ts"
import { archivedFiles, type AttemptFiles, attemptFiles } from "./Layout.ts"
import { attempt } from "./SmallFile.ts"

/** How much of each end of a transcript stays. */
const endBytes = 64 * 1024

const marker = Buffer.from("\n[cut by ooda-codex-review runs --prune --transcripts]\n")
const cutBytes = 2 * endBytes + marker.length

/** Whether a transcript was cut. A file that is not there was not. */
export const isCut = (file: Opened | null): boolean => file?.slice(endBytes, marker.length).equals(marker) === true

/** What is left of a transcript that is held whole when it is cut; null where it is short. */
export const shortened = (bytes: Buffer): Buffer | null =>
  bytes.length <= cutBytes ? null : Buffer.concat([bytes.subarray(0, endBytes), marker, bytes.subarray(-endBytes)])

/** Cuts a file unless it is short. Returns how many bytes of the disk are free now, or would be. */
const cut = (path: string, dryRun: boolean): number => {
  const facts = fs.lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined || !facts.isFile() || facts.size <= cutBytes) return 0
  const freed = Math.max(0, facts.blocks * 512 - cutBytes)
  if (dryRun) return freed
  const fd = fs.openSync(path, "r+")
  try {
    const tail = sliceOf(fd, facts.size - endBytes, endBytes)
    fs.writeSync(fd, marker, 0, marker.length, endBytes)
    fs.writeSync(fd, tail, 0, tail.length, endBytes + marker.length)
    fs.ftruncateSync(fd, endBytes + marker.length + tail.length)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  return freed
}

/**
 * Whether an attempt that the log still calls open is over without a review: it failed, or nobody knows how it ended.
 */
const hasFailed = (files: AttemptFiles): boolean => {
  const journal = readJournal(files.journal)
  if (journal._tag !== "Started" || lives(journal.wrapper)) return false
  return (exitStatus(files.exit) ?? statusWithoutFile(files, journal)) !== 0
}

const filesOf = ({ review, state }: Cuttable): ReadonlyArray<string> => {
  const files = state === "Archived" ? archivedFiles(review) : attemptFiles(review)
  if (state === "Reviewed") return [files.log]
  return state === "Open" && !hasFailed(attemptFiles(review)) ? [] : [files.log, files.out]
}

/** Cuts transcripts, and returns how many bytes of the disk that frees. */
export const cutTranscripts = Effect.fn("RunStore.cutTranscripts")(
  function*(attempts: ReadonlyArray<Cuttable>, { dryRun }: { readonly dryRun: boolean }) {
    let freed = 0
    for (const one of attempts) {
      const { log } = attemptFiles(one.review)
      freed += yield* attempt(log, () => filesOf(one).reduce((sum, path) => sum + cut(path, dryRun), 0))
    }
    return freed
  }
)
