// Copies: temporary copies of code in the store: the private repositories of runs, the scratch directories of targets.
// The private repositories of a run are made and removed under one lock, so that none is removed while it is made.
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { LockFailed, tryLock, withFileLock } from "../log/FileLock.live.ts"
import type { RunRef, TargetRef } from "../log/Refs.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { makeDirectories, removeTree } from "../platform/Files.ts"
import { bootId, processAt } from "../platform/Processes.ts"
import { hasCode } from "../platform/SystemError.ts"
import type { ProcessRecord } from "../platform/guard/Journal.ts"
import { lives } from "../platform/guard/Liveness.ts"
import { isolatedDirectory, isolationLock, scratchesDirectory } from "./Layout.live.ts"
import { runs } from "./RunNames.live.ts"
import { type KeptCopy, StoreFailed } from "./RunStore.ts"
import { attempt } from "./SmallFile.live.ts"

// The longest time in milliseconds that another process may take to make one.
const patience = 5 * 60_000

/** Runs an effect while this process alone makes or removes private repositories of a run. */
export const isolating = <A, E, R>(run: RunRef, use: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreFailed, R> =>
  withFileLock(isolationLock(run), use, patience).pipe(
    Effect.mapError((error) =>
      error instanceof LockFailed ? new StoreFailed({ path: error.path, reason: error.reason }) : error
    ),
    Effect.withSpan("RunStore.isolating")
  )

const names = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return []
    throw error
  }
}

/** The lock of a run's private repositories until the scope ends; null if another process holds it. */
const held = (run: RunRef) =>
  Effect.acquireRelease(
    Effect.flatMap(Environment, (env) => attempt(isolationLock(run), () => tryLock(isolationLock(run), env))),
    (fd) => Effect.sync(() => fd === null ? undefined : fs.closeSync(fd))
  )

const newestOf = (directory: string): string | undefined =>
  names(directory)
    .map((name) => ({ name, at: fs.statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)[0]?.name

/**
 * Removes the copies of code of a run except one, which is determined under the lock. If another process is making one,
 * that process cleans up, and nothing is done here.
 */
export const clearIsolated = Effect.fn("RunStore.clearIsolated")(
  function*<E, R>(run: RunRef, keep: Effect.Effect<KeptCopy, E, R>) {
    const directory = isolatedDirectory(run)
    if (!fs.existsSync(directory) || (yield* held(run)) === null) return
    const needed = yield* keep
    yield* attempt(directory, () => {
      const kept = needed._tag === "At"
        ? basename(needed.place)
        : needed._tag === "Newest"
        ? newestOf(directory)
        : undefined
      for (const name of names(directory)) if (name !== kept) removeTree(join(directory, name))
      if (names(directory).length === 0) fs.rmSync(directory, { recursive: true, force: true })
    })
  },
  Effect.scoped
)

/** The runs of a target that keep private repositories. */
export const withIsolated = Effect.fn("RunStore.withIsolated")(function*(target: TargetRef) {
  return (yield* runs(target)).filter((run) => fs.existsSync(isolatedDirectory(run)))
})

// Temporary directories for copies of code, each named after its process.
// The directory of a living process is never touched. The next invocation removes all others.

const nameOf = ({ boot, pid, start }: ProcessRecord): string =>
  `${pid}.${start ?? ""}.${boot ?? ""}.${randomBytes(4).toString("hex")}`

/** The process that a directory belongs to, or null if its name contains none. */
export const ownerOf = (name: string): ProcessRecord | null => {
  const [, pid, start, boot] = /^(\d{1,10})\.(\w*)\.([\w-]*)\.[0-9a-f]{8}$/.exec(name) ?? []
  return pid === undefined ? null : { pid: Number(pid), start: start || null, boot: boot || null }
}

/** Makes a new directory for this process in the store of a target. Throws the system's error. */
export const makeScratch = (target: TargetRef, env: Variables): string => {
  const { pid } = process
  const owner = { pid, start: processAt(pid, env)?.start ?? null, boot: bootId(env) }
  const path = join(scratchesDirectory(target), nameOf(owner))
  makeDirectories(path)
  return fs.realpathSync(path)
}

const removeEmpty = (directory: string): void => {
  try {
    fs.rmdirSync(directory)
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY") && !hasCode(error, "EEXIST") && !hasCode(error, "ENOENT")) throw error
  }
}

/** Removes a directory of this process. Throws the system's error. */
export const removeScratch = (path: string): void => {
  removeTree(path)
  removeEmpty(dirname(path))
}

/** Removes the directories in the store of a target whose processes have ended. */
export const clearScratches = Effect.fn("RunStore.clearScratches")(function*(target: TargetRef) {
  const directory = scratchesDirectory(target)
  const env = yield* Environment
  yield* attempt(directory, () => {
    if (!fs.existsSync(directory)) return
    for (const name of fs.readdirSync(directory)) {
      const owner = ownerOf(name)
      if (owner === null || lives(owner, env) === false) removeTree(join(directory, name))
    }
    removeEmpty(directory)
  })
})
