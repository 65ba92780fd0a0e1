// Removal: removes runs from this machine, and looks at what a removal must know.
// Just before the rename, every step of the path down from the state root is checked to be a directory and no link.
import * as fs from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import type { RunRef } from "../../core/run/Refs.ts"
import { runIdPattern } from "../../core/run/RunId.ts"
import { Environment, type Variables } from "../../services/Environment.ts"
import { StoreFailed, type Trace } from "../../services/RunStore.ts"
import type { StoreReason } from "../../services/StoreReason.ts"
import { locksHeld } from "../process/Liveness.ts"
import { agentsDirectory, testsDirectory } from "./AgentLayout.ts"
import {
  isAttemptLock,
  isRemovedName,
  latestFile,
  levelsDirectory,
  logFiles,
  removedName,
  runDirectory,
  runsDirectory
} from "./Layout.ts"
import { removeTree } from "./PrivateRepositories.ts"
import { attempt } from "./SmallFile.ts"

const entries = (path: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

const directories = (path: string): ReadonlyArray<string> =>
  entries(path).filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name))

/**
 * The lock files of all attempts of a run, which lie in the directories of its batches, two below that of its levels,
 * and in those of its agents and of its tests.
 */
const locks = (run: RunRef): ReadonlyArray<string> =>
  [
    ...directories(levelsDirectory(run)).flatMap(directories),
    ...directories(agentsDirectory(run)),
    ...directories(testsDirectory(run))
  ].flatMap((holder) => entries(holder).filter(({ name }) => isAttemptLock(name)).map(({ name }) => join(holder, name)))

// A helper process takes at most this many descriptors.
const atOnce = 64

const anyHeld = (paths: ReadonlyArray<string>, env: Variables): boolean => {
  for (let from = 0; from < paths.length; from += atOnce) {
    if (locksHeld(paths.slice(from, from + atOnce), env).includes(true)) return true
  }
  return false
}

/** What one look at a run shows. */
export const look = Effect.fn("RunStore.look")(function*(run: RunRef) {
  const env = yield* Environment
  return yield* attempt(runDirectory(run), (): Trace => {
    const logs = ["review", "plan"].map((kind) => fs.statSync(logFiles(run, kind).log, { throwIfNoEntry: false }))
    const { mtimeMs } = logs.find((log) => log !== undefined) ?? fs.statSync(runDirectory(run))
    return { changedAt: mtimeMs, reviewersAlive: anyHeld(locks(run), env) }
  })
})

/** Throws StoreFailed unless every step from the root down to the run is a directory of its own, and no link. */
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

/** Removes a run by one rename, then deletes it and what earlier removals of its target have left. */
export const remove = Effect.fn("RunStore.remove")((run: RunRef, { isLatest }: { readonly isLatest: boolean }) =>
  attempt(runDirectory(run), () => {
    check(run)
    const runs = runsDirectory(run)
    if (isLatest) fs.rmSync(latestFile(run), { force: true })
    fs.renameSync(runDirectory(run), join(runs, removedName(run.runId)))
    for (const { name } of entries(runs)) {
      if (isRemovedName(name)) removeTree(join(runs, name))
    }
  })
)
