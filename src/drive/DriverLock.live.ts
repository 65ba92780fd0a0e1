// DriverLock.live: kernel locks of a driver, which end with its process: on the git directory of its worktree, which
// nothing is written to, and on a file in the state root that names the driver. Where the file system has no lock for a
// directory, the file is enough for all who use this state root.
import * as fs from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Layer } from "effect"
import { gitDirectoryAt, latin1Of, pathOf } from "../code/Nested.live.ts"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import type { EventLog } from "../log/EventLog.ts"
import type { RunRef, TargetRef } from "../log/Refs.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { makeDirectories, withFile } from "../platform/Files.ts"
import { flockDescriptors } from "../platform/Flock.ts"
import { fnv1a64 } from "../review/findings/Finding.ts"
import { agentsDirectory, driversDirectory } from "../run/Layout.live.ts"
import { readerCall, unnamed } from "../run/Naming.ts"
import { isOf, ownerOf } from "../run/Owner.ts"
import { isWorking } from "../run/Removal.live.ts"
import { RunStore, StoreFailed } from "../run/RunStore.ts"
import { attempt } from "../run/SmallFile.live.ts"
import { AlreadyDriven, DrivenWorktree, Drivers } from "./DriverLock.ts"

// Milliseconds. A driver holds the lock for hours, so waiting longer does not help.
const patience = 300

/** Whether a process holds the lock. The look takes it shared for a moment; a driver that begins then waits. */
const isHeld = (path: string, env: Variables): boolean => {
  try {
    return withFile(path, (fd) => !flockDescriptors([fd], "shared", env))
  } catch {
    return false
  }
}

/** The last driver that a lock's file names, and its target or plan, or null. */
const lastIn = (path: string) => {
  try {
    const text = fs.readFileSync(path, "utf8")
    const [, pid = "", since = "", targetKey = ""] = /^(\d{1,15}) (\S{1,40})\n(.+)\n$/.exec(text) ?? []
    return targetKey === "" ? null : { pid: Number(pid), since, targetKey }
  } catch {
    return null
  }
}

/** The same; null if nobody holds the lock. */
const driverIn = (path: string, env: Variables) => {
  const last = lastIn(path)
  return last !== null && isHeld(path, env) ? last : null
}

const refused = (path: string, error: LockFailed): Effect.Effect<never, AlreadyDriven | StoreFailed> =>
  error.reason._tag === "LockHeld"
    ? Effect.flatMap(Environment, (env) => Effect.fail(new AlreadyDriven({ who: driverIn(path, env) })))
    : Effect.fail(new StoreFailed({ path: error.path, reason: error.reason }))

const works = Effect.fn("Drivers.works")(function*(run: RunRef) {
  const env = yield* Environment
  return yield* attempt(agentsDirectory(run), () => isWorking(run, env))
})

/**
 * Fails while agents or tests of another target work in the worktree whose driver is gone. Only the last drivers can
 * have left any: the one before them found none, or was asked for the same target and followed them.
 */
const unlessLeft = Effect.fnUntraced(function*(target: TargetRef, worktree: string, path: string) {
  const files = [path, path.replace(/\.lock$/, ".code.lock")]
  const last = files.map(lastIn)
  if (last[0]?.targetKey === target.targetKey) return
  for (const who of last) {
    if (who === null || who.targetKey === target.targetKey) continue
    for (const run of yield* (yield* RunStore).runs({ ...target, targetKey: who.targetKey })) {
      if (!(yield* works(run)) || !isOf(worktree, yield* ownerOf(run))) continue
      const stop = readerCall("stop", { ...unnamed, run: run.runId, stateRoot: target.root })
      return yield* new AlreadyDriven({ who, left: true, stop })
    }
  }
})

const isLockFailed = (error: unknown): error is LockFailed => error instanceof LockFailed

const driving = <A, E, R>(
  target: TargetRef,
  worktree: string,
  use: (pid: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreFailed | AlreadyDriven, R | RunStore | EventLog> =>
  Effect.flatMap(DrivenWorktree, (outer) => {
    const isCode = outer === worktree
    const path = `${driversDirectory(target)}/${fnv1a64(worktree)}${isCode ? ".code" : ""}.lock`
    const note = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const text = `${process.pid} ${new Date(now).toISOString()}\n${target.targetKey}\n`
      return attempt(path, () => fs.writeFileSync(path, text))
    })
    const work = Effect.provideService(use(process.pid), DrivenWorktree, worktree)
    const free = isCode ? Effect.void : unlessLeft(target, worktree, path)
    const named = withFileLock(path, Effect.andThen(Effect.andThen(free, note), work), patience)
    const git = isCode ? null : gitDirectoryAt(latin1Of(worktree), "")
    const alone = git === null ? named : Effect.catchIf(
      withFileLock(pathOf(git).toString(), named, patience),
      (error) => isLockFailed(error) && error.path !== path && error.reason._tag !== "LockHeld",
      () => named
    )
    return attempt(path, () => makeDirectories(driversDirectory(target))).pipe(
      Effect.andThen(alone),
      Effect.catchIf(isLockFailed, (error) => refused(path, error))
    )
  }).pipe(Effect.withSpan("Drivers.driving"))

const present = Effect.fn("Drivers.present")(function*(target: TargetRef) {
  const env = yield* Environment
  const directory = driversDirectory(target)
  const names = yield* Effect.orElseSucceed(Effect.try(() => fs.readdirSync(directory)), () => [])
  return names.flatMap((name) => {
    const found = driverIn(join(directory, name), env)
    return found?.targetKey === target.targetKey ? [found.pid] : []
  })
})

/** The drivers of this machine. */
export const layer: Layer.Layer<Drivers> = Layer.succeed(Drivers, { driving, present, works })
