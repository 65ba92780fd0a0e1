// DriverLock.live: a file lock per target, which ends with the process that holds it.
import * as fs from "node:fs"
import { Clock, Effect, Layer } from "effect"
import type { TargetRef } from "../log/Refs.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { AlreadyDriven, Drivers } from "./DriverLock.ts"
import { StoreFailed } from "../run/RunStore.ts"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import { makeDirectories, withFile } from "../platform/Files.ts"
import { flockDescriptors } from "../platform/Flock.ts"
import { driverLock } from "../run/Layout.live.ts"
import { targetDirectory } from "../log/LogFile.live.ts"
import { attempt } from "../run/SmallFile.live.ts"

// Milliseconds. A driver holds the lock for hours, so waiting longer does not help.
const patience = 300

/** The holder that the lock's file names; null if it names none. */
const whoHolds = (path: string) =>
  Effect.try(() => fs.readFileSync(path, "utf8")).pipe(
    Effect.map((text) => {
      const [, pid, since] = /^(\d{1,15}) (\S{1,40})\n/.exec(text) ?? []
      return pid === undefined || since === undefined ? null : { pid: Number(pid), since }
    }),
    Effect.orElseSucceed(() => null)
  )

const refused = (path: string, error: LockFailed): Effect.Effect<never, AlreadyDriven | StoreFailed> =>
  error.reason._tag === "LockHeld"
    ? Effect.flatMap(whoHolds(path), (who) => Effect.fail(new AlreadyDriven({ who })))
    : Effect.fail(new StoreFailed({ path: error.path, reason: error.reason }))

const driving = <A, E, R>(
  target: TargetRef,
  use: (pid: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreFailed | AlreadyDriven, R> => {
  const path = driverLock(target)
  const { pid } = process
  const note = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => attempt(path, () => fs.writeFileSync(path, `${pid} ${new Date(now).toISOString()}\n`))
  )
  return attempt(path, () => makeDirectories(targetDirectory(target))).pipe(
    Effect.andThen(withFileLock(path, Effect.andThen(note, use(pid)), patience)),
    Effect.catchIf((error): error is LockFailed => error instanceof LockFailed, (error) => refused(path, error)),
    Effect.withSpan("Drivers.driving")
  )
}

/** Whether a process holds the lock. The look takes it shared for a moment; a driver that begins then waits. */
const isHeld = (path: string, env: Variables): boolean => {
  try {
    return withFile(path, (fd) => !flockDescriptors([fd], "shared", env))
  } catch {
    return false
  }
}

const present = Effect.fn("Drivers.present")(function*(target: TargetRef) {
  const path = driverLock(target)
  return isHeld(path, yield* Environment) ? (yield* whoHolds(path))?.pid ?? null : null
})

/** The drivers of this machine. */
export const layer: Layer.Layer<Drivers> = Layer.succeed(Drivers, { driving, present })
