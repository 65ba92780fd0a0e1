// Removal: removes runs from this machine, cuts long transcripts, and measures the size of a store on its disk.
// No link is followed. A file that cannot be read counts as empty.
import * as fs from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import { runIdPattern, type RunRef } from "../log/Refs.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { type OpenFile, removeTree, sliceOf } from "../platform/Files.ts"
import { exitStatus, readJournal, statusWithoutFile } from "../platform/guard/Journal.ts"
import { lives, livingOf, locksHeld } from "../platform/guard/Liveness.ts"
import {
  agentsDirectory,
  archivedFiles,
  asideDirectory,
  type AttemptFiles,
  attemptFiles,
  isAttemptLock,
  isRemovedName,
  journalOf,
  latestFile,
  levelsDirectory,
  removedName,
  testsDirectory
} from "./Layout.live.ts"
import { logFiles, runDirectory, runsDirectory } from "../log/LogFile.live.ts"
import { type CuttableTranscript, StoreFailed, type StoreReason, type Trace, type Usage } from "./RunStore.ts"
import { attempt } from "./SmallFile.live.ts"

const entries = (path: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The size of a file on its disk: a file may have holes. */
const bytesOf = (path: string): number => {
  try {
    return fs.lstatSync(path).blocks * 512
  } catch {
    return 0
  }
}

/** The size of a directory with everything in it. */
export const usageOf = (path: string): Usage => {
  let bytes = bytesOf(path)
  let largest: Usage["largest"] = null
  for (const entry of entries(path)) {
    const below = join(path, entry.name)
    const own = entry.isDirectory() ? null : { path: below, bytes: bytesOf(below) }
    const inside = own === null ? usageOf(below) : { bytes: own.bytes, largest: own }
    bytes += inside.bytes
    if ((inside.largest?.bytes ?? 0) > (largest?.bytes ?? 0)) largest = inside.largest
  }
  return { bytes, largest }
}

// Cutting transcripts to both their ends. It needs no space. Files of a review that is not recorded yet are never cut.

/** How much of each end of a transcript stays. */
const endBytes = 64 * 1024

const marker = Buffer.from("\n[cut by ooda-codex-review runs --prune --transcripts]\n")
const cutBytes = 2 * endBytes + marker.length

/** Whether a transcript was cut. False for a missing file. */
export const isCut = (file: OpenFile | null): boolean => file?.slice(endBytes, marker.length).equals(marker) === true

/** The rest of a cut transcript, from all of its bytes; null if it is short. */
export const shortenTranscript = (bytes: Buffer): Buffer | null =>
  bytes.length <= cutBytes ? null : Buffer.concat([bytes.subarray(0, endBytes), marker, bytes.subarray(-endBytes)])

/** Cuts a file unless it is short. Returns how many bytes of the disk that frees, or would free. */
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

/** The files that can be cut of an attempt that is open in the log: none while anything of it lives, or if it ended well. */
const filesOfOpen = (files: AttemptFiles, env: Variables): ReadonlyArray<string> => {
  const journal = readJournal(files.journal)
  if (journal._tag !== "Started" || lives(journal.wrapper, env) !== false) return []
  // What a wrapper started may outlive it.
  if (livingOf([journal], env).others.length > 0) return []
  return (exitStatus(files.exit) ?? statusWithoutFile(files, journal, env)) === 0 ? [] : [files.log, files.out]
}

const filesOf = ({ review, state }: CuttableTranscript, env: Variables): ReadonlyArray<string> => {
  if (state === "Open") return filesOfOpen(attemptFiles(review), env)
  const files = state === "Archived" ? archivedFiles(review) : attemptFiles(review)
  return state === "Reviewed" ? [files.log] : [files.log, files.out]
}

/** Cuts transcripts, and returns how many bytes of the disk that frees. */
export const cutTranscripts = Effect.fn("RunStore.cutTranscripts")(
  function*(attempts: ReadonlyArray<CuttableTranscript>, { dryRun }: { readonly dryRun: boolean }) {
    const env = yield* Environment
    let freed = 0
    for (const one of attempts) {
      const { log } = attemptFiles(one.review)
      freed += yield* attempt(log, () => filesOf(one, env).reduce((sum, path) => sum + cut(path, dryRun), 0))
    }
    return freed
  }
)

// Removing runs. Just before the rename, every part of the path from the state root down must be a real directory.

const directories = (path: string): ReadonlyArray<string> =>
  entries(path).filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name))

const locksIn = (holders: ReadonlyArray<string>): ReadonlyArray<string> =>
  holders.flatMap((holder) =>
    entries(holder).filter(({ name }) => isAttemptLock(name)).map(({ name }) => join(holder, name))
  )

const workers = (run: RunRef) => [...directories(agentsDirectory(run)), ...directories(testsDirectory(run))]

/** The lock files of all attempts of a run: of its batches, its agents and its tests. */
const locks = (run: RunRef): ReadonlyArray<string> =>
  locksIn([...directories(levelsDirectory(run)).flatMap(directories), ...workers(run)])

// The most descriptors that a helper process takes.
const atOnce = 64

const anyHeld = (paths: ReadonlyArray<string>, env: Variables): boolean => {
  for (let from = 0; from < paths.length; from += atOnce) {
    if (locksHeld(paths.slice(from, from + atOnce), env).includes(true)) return true
  }
  return false
}

/** The ids of all jobs of a run that began, from their journals. */
export const jobs = Effect.fn("RunStore.jobs")((run: RunRef) =>
  attempt(runDirectory(run), () =>
    locks(run).flatMap((lock) => {
      const journal = readJournal(journalOf(lock))
      return journal._tag === "Started" ? [journal.wrapper.id] : []
    }))
)

/** Whether an agent or a test of a run lives. */
export const isWorking = (run: RunRef, env: Variables): boolean => anyHeld(locksIn(workers(run)), env)

/** The result of one look at a run. */
export const look = Effect.fn("RunStore.look")(function*(run: RunRef) {
  const env = yield* Environment
  return yield* attempt(runDirectory(run), (): Trace => {
    const logs = ["review", "plan"].map((kind) => fs.statSync(logFiles(run, kind).log, { throwIfNoEntry: false }))
    const { mtimeMs } = logs.find((log) => log !== undefined) ?? fs.statSync(runDirectory(run))
    return { changedAt: mtimeMs, reviewersAlive: anyHeld(locks(run), env) }
  })
})

/** Throws StoreFailed unless every step from the root to the run is a directory of its own, and no link. */
const check = (run: RunRef): void => {
  const refused = (reason: StoreReason) => new StoreFailed({ path: runDirectory(run), reason })
  const parts = relative(run.root, runDirectory(run)).split(sep)
  if (parts.includes("..") || !runIdPattern.test(run.runId)) throw refused({ _tag: "NotARun" })
  let path = run.root
  for (const part of parts) {
    path = join(path, part)
    const facts = fs.lstatSync(path)
    if (facts.isSymbolicLink()) throw refused({ _tag: "LinkOnTheWay", link: path })
    if (!facts.isDirectory()) throw refused({ _tag: "NoDirectoryOnTheWay", at: path })
  }
}

/** Removes a run by one rename, then deletes it and the rest of earlier removals of its target. */
export const remove = Effect.fn("RunStore.remove")((run: RunRef, { isLatest }: { readonly isLatest: boolean }) =>
  attempt(runDirectory(run), () => {
    check(run)
    const runs = runsDirectory(run)
    if (isLatest) fs.rmSync(latestFile(run), { force: true })
    // A link to the user's own directory, where the run is in a temporary one.
    const isLinked = fs.lstatSync(asideDirectory(run), { throwIfNoEntry: false })?.isSymbolicLink() === true
    const aside = isLinked ? fs.readlinkSync(asideDirectory(run)) : null
    fs.renameSync(runDirectory(run), join(runs, removedName(run.runId)))
    if (aside !== null) removeTree(aside)
    for (const { name } of entries(runs)) {
      if (isRemovedName(name)) removeTree(join(runs, name))
    }
  })
)
