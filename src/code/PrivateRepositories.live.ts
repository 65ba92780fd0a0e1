// PrivateRepositories: which private repositories the runs of a target keep, and how they are removed.
// They are made and removed under one lock of their run, so that none is removed while it is made.
import * as fs from "node:fs"
import { basename, join } from "node:path"
import { Effect } from "effect"
import type { BatchRef, RunRef, TargetRef } from "../log/Refs.ts"
import { Environment } from "../platform/Environment.ts"
import { StoreFailed } from "../run/RunStore.ts"
import { LockFailed, tryLock, withFileLock } from "../log/FileLock.live.ts"
import { hasCode } from "../platform/SystemError.ts"
import { isolatedDirectory, isolationLock, privateRepository } from "../run/Layout.live.ts"
import { runs } from "../run/RunNames.live.ts"
import { attempt } from "../run/SmallFile.live.ts"

// The longest that another process may take to make one, in milliseconds.
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

/**
 * Files cannot be removed from directories that were copied without the right to write, so that right is given first.
 */
const openUp = (path: string): void => {
  fs.chmodSync(path, 0o700)
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openUp(join(path, entry.name))
  }
}

// A directory that cannot be looked at now is removed by a later invocation.
const isThere = (directory: string): boolean => {
  try {
    return fs.existsSync(directory)
  } catch {
    return false
  }
}

/** Removes a directory tree of ours. Throws what the system throws. */
export const removeTree = (path: string): void => {
  try {
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    if (!hasCode(error, "EACCES")) throw error
    openUp(path)
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The lock of a run's private repositories until the scope ends; null where another process holds it. */
const held = (run: RunRef) =>
  Effect.acquireRelease(
    Effect.flatMap(Environment, (env) => attempt(isolationLock(run), () => tryLock(isolationLock(run), env))),
    (fd) => Effect.sync(() => fd === null ? undefined : fs.closeSync(fd))
  )

/**
 * Removes the private repositories of a run but that of one batch, which is asked for under the lock. Where another
 * process makes one just now it clears up behind itself, and nothing is done here.
 */
export const clearIsolated = Effect.fn("RunStore.clearIsolated")(
  function*<E, R>(run: RunRef, keep: Effect.Effect<BatchRef | null, E, R>) {
    const directory = isolatedDirectory(run)
    if (!isThere(directory) || (yield* held(run)) === null) return
    const batch = yield* keep
    const kept = batch === null ? null : basename(privateRepository(batch))
    yield* attempt(directory, () => {
      for (const name of names(directory)) if (name !== kept) removeTree(join(directory, name))
      if (names(directory).length === 0) fs.rmSync(directory, { recursive: true, force: true })
    })
  },
  Effect.scoped
)

/** The runs of a target that keep private repositories. */
export const withIsolated = Effect.fn("RunStore.withIsolated")(function*(target: TargetRef) {
  return (yield* runs(target)).filter((run) => isThere(isolatedDirectory(run)))
})
