// FileLock: an exclusive lock on a file or a directory, held for the length of an effect.
import * as fs from "node:fs"
import * as path from "node:path"
import { Duration, Effect, Random, Schedule, Schema, Scope } from "effect"
import { Environment, type Variables } from "../platform/Environment.ts"
import { flockDescriptors } from "../platform/Flock.ts"
import { exits } from "../platform/Failure.ts"
import { note, trace } from "../platform/Note.ts"
import { hasCode, systemFault } from "../platform/SystemError.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { close, nodeFiles } from "./Files.live.ts"

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants
const privateFile = 0o600

/** How the file of a lock is opened. A directory is locked as it is, and nothing is written to it. */
const flagsOf = (path: string): number =>
  fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? O_RDONLY : O_RDWR | O_CREAT

// The value of <sys/fcntl.h> on macOS and the BSDs, which can lock while opening; Node has no name for it.
const O_EXLOCK = 0x20
const locksWhileOpening: ReadonlyArray<string> = ["darwin", "freebsd", "openbsd", "netbsd"]

/** Opens the file locked, or returns null when another open description has the lock. */
const openLocked = (path: string): number | null => {
  try {
    return fs.openSync(path, flagsOf(path) | O_NONBLOCK | O_EXLOCK, privateFile)
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return null
    throw error
  }
}

const openThenLock = (path: string, env: Variables): number | null => {
  const fd = fs.openSync(path, flagsOf(path), privateFile)
  try {
    if (flockDescriptors([fd], "exclusive", env)) return fd
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
  fs.closeSync(fd)
  return null
}

/** Whether the open file is still the one of that name; if it was deleted, others lock a new one. */
const isCurrent = (path: string, fd: number): boolean => {
  const held = fs.fstatSync(fd)
  const named = fs.statSync(path, { throwIfNoEntry: false })
  return named !== undefined && named.ino === held.ino && named.dev === held.dev
}

/** The descriptor that holds the lock, or null if another has it. Throws NoLockProgram or the system's error. */
export const tryLock = (path: string, env: Variables): number | null => {
  const fd = locksWhileOpening.includes(process.platform) ? openLocked(path) : openThenLock(path, env)
  if (fd === null || isCurrent(path, fd)) return fd
  fs.closeSync(fd)
  return null
}

// Waiting for the lock

/** The lock could not be taken: no way to lock here, a network file system, or a holder that does not let go. */
export class LockFailed extends Schema.TaggedError<LockFailed>()("LockFailed", {
  path: Schema.String,
  reason: SystemFault
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.path}: ${systemFaultText(this.reason, this.path)}`
  }
}

const patienceMillis = 10_000
const pauses = Schedule.forever.pipe(Schedule.modifyDelay(() => Random.nextBetween(2, 20)))

// f_type of statfs(2): locks and syncs of these do not keep what they promise.
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x517b, "SMB"],
  [0x01021997, "9p"]
])

/** The name of the network file system that a directory lies on, or null. */
export const networkFileSystem = (type: number): string | null => networkFileSystems.get(type >>> 0) ?? null

const open = (file: string, env: Variables, patience: number): number => {
  const network = networkFileSystem(fs.statfsSync(path.dirname(file)).type)
  if (network !== null) throw new LockFailed({ path: file, reason: { _tag: "NetworkFileSystem", name: network } })
  const fd = tryLock(file, env)
  if (fd !== null) return fd
  throw new LockFailed({ path: file, reason: { _tag: "LockHeld", seconds: patience / 1000 } })
}

/** One try at the lock, which the scope gives back. */
const lock = (file: string, patience: number) =>
  Effect.acquireRelease(
    Effect.flatMap(Environment, (env) =>
      Effect.try({
        try: () => open(file, env, patience),
        catch: (error) =>
          error instanceof LockFailed ? error : new LockFailed({ path: file, reason: systemFault(error) })
      })),
    (fd) => Effect.sync(() => close(nodeFiles, fd))
  )

/** Notes that another process holds the lock. */
const held = (file: string) => ({ reason }: LockFailed) =>
  reason._tag === "LockHeld" ? trace("the lock is held by another process", { file }) : Effect.void

/** Retries while another process holds the lock, until a timer ends it: the system's clock may be set meanwhile. */
const patiently = (file: string, patience: number) =>
  lock(file, patience).pipe(
    Effect.tapError(held(file)),
    Effect.retry({ while: ({ reason }) => reason._tag === "LockHeld", schedule: pauses }),
    Effect.timeoutOrElse({ duration: patience, orElse: () => lock(file, patience) }),
    Effect.timed,
    Effect.tap(([waited]) => note("locked a file", { file, ms: Math.round(Duration.toMillis(waited)) }))
  )

/**
 * Runs an effect while this process alone holds the lock of `file`, a directory or in one. Tried without blocking
 * for at most 10 seconds, or `patience` in milliseconds, interruptible meanwhile; released in every case, by the kernel
 * when this process dies.
 */
export const withFileLock = <A, E, R>(
  file: string,
  use: Effect.Effect<A, E, R>,
  patience = patienceMillis
): Effect.Effect<A, E | LockFailed, R> =>
  Effect.scopedWith((scope) => patiently(file, patience).pipe(Scope.provide(scope), Effect.andThen(use)))
