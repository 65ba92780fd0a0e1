// Launch: starts jobs, each under a wrapper that outlives this process.
import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, closeSync, constants, openSync, renameSync, statSync } from "node:fs"
import { Socket } from "node:net"
import { dirname } from "node:path"
import { Effect } from "effect"
import { Environment, UsersUmask, type Variables } from "../Environment.ts"
import type { SystemRefused } from "../SystemFault.ts"
import { makeDirectories } from "../Files.ts"
import { flockDescriptors } from "../Flock.ts"
import { type EarlierJob, GuardFault, type Job, type Order, trySync } from "./Job.ts"
import { fence, readJournal } from "./Journal.ts"
import { lives, livingOf, mark } from "./Liveness.ts"
import { stopAll, waitUntil } from "./Stop.ts"
import { hasCode, systemFault, systemRefused } from "../SystemError.ts"
import { wrapperArguments, wrapperProgram } from "./Wrapper.ts"
import { recovered } from "../Note.ts"

// Milliseconds. Another process that looks may hold a lock for an instant, and a wrapper may be about to end.
const lockWithin = 2000
const endWithin = 1000

interface Locked {
  readonly order: Order
  readonly fd: number
}

/** Opens the lock file of a job until the scope ends: by then its wrapper has a copy of the descriptor. */
const opened = (order: Order, what: string) =>
  Effect.acquireRelease(
    trySync(what, (): Locked => {
      makeDirectories(dirname(order.files.lock))
      makeDirectories(dirname(order.wake))
      return { order, fd: openSync(order.files.lock, "a", 0o600) }
    }),
    ({ fd }) => Effect.sync(() => closeSync(fd))
  )

/** Whether jobs are over. A job that has not begun is fenced, so that it can never begin. */
const over = (jobs: ReadonlyArray<Job>, env: Variables): boolean => {
  const journals = jobs.map((job) => fence(job) ? null : readJournal(job.files.journal))
  const started = journals.filter((journal) => journal?._tag === "Started")
  if (started.length === 0) return true
  if (started.some(({ wrapper }) => lives(wrapper, env) !== false)) return false
  const { others, wrappers } = livingOf(started, env)
  return wrappers.length === 0 && others.length === 0
}

/** Moves away the files of the last of the earlier jobs that began. */
const archive = (earlier: ReadonlyArray<EarlierJob>): void => {
  const last = earlier.find(({ files }) => readJournal(files.journal)._tag === "Started") ?? earlier[0]
  for (const { from, to } of last?.moves ?? []) {
    try {
      renameSync(from, to)
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error
    }
  }
}

/** Spawns one wrapper in a session of its own, with its lock at descriptor 3, and a pipe that ties it to us at 4. */
const spawned = ({ fd, order }: Locked, path: string, umask: string | null): Effect.Effect<void, GuardFault> =>
  Effect.callback<void, GuardFault>((resume) => {
    const refuse = (error: unknown) =>
      resume(Effect.fail(new GuardFault({ what: order.label, reason: systemFault(error) })))
    let child: ChildProcess
    try {
      child = spawn("/bin/sh", wrapperArguments(order, path, umask), {
        cwd: order.cwd,
        detached: true,
        stdio: ["ignore", "ignore", "ignore", fd, ...(order.tied ? ["pipe" as const] : [])],
        env: { ...order.environment, ...wrapperProgram, [mark]: order.id }
      })
    } catch (error) {
      return refuse(error)
    }
    child.once("error", refuse)
    child.once("spawn", () => {
      child.unref()
      const tie = child.stdio[4]
      // Reading notices the end of the wrapper, so that the descriptor is closed.
      if (tie instanceof Socket) tie.on("error", () => {}).resume().unref()
      resume(Effect.void)
    })
  })

/** Fences a job that cannot start. Otherwise it would seem to be starting; now the next look finds it Unstarted. */
const orFence = (jobs: ReadonlyArray<Job>) => <A, R>(effect: Effect.Effect<A, GuardFault, R>) =>
  Effect.tapError(
    effect,
    () => Effect.catch(trySync("fencing", () => jobs.forEach(fence)), recovered("jobs count as starting for a while"))
  )

/** The system gives the same error for a missing directory and a missing shell, so check the directory first. */
const checkDirectory = Effect.fnUntraced(function*(path: string) {
  const fault = (why: SystemRefused | null) =>
    new GuardFault({ what: `the directory ${path}`, reason: { _tag: "NoDirectory", path, why } })
  const there = yield* Effect.try({
    try: () => statSync(path).isDirectory(),
    catch: (error) => fault(systemRefused(error))
  })
  if (!there) return yield* fault(null)
})

const checkInput = (path: string): void => {
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`)
  accessSync(path, constants.R_OK)
}

/** What the commands need of the file system: their directories, and the files that they read. */
const check = Effect.fnUntraced(function*(orders: ReadonlyArray<Order>) {
  for (const cwd of new Set(orders.map(({ cwd }) => cwd))) yield* checkDirectory(cwd)
  for (const { input, label } of orders) if (input !== null) yield* trySync(label, () => checkInput(input))
})

const started = Effect.fnUntraced(function*(locked: ReadonlyArray<Locked>, what: string, env: Variables) {
  const orders = locked.map(({ order }) => order)
  const before = orders.flatMap(({ earlier }) => earlier)
  // A wrapper that is just ending needs an instant. Anything that lives longer was left by a killed stop.
  if (!(yield* waitUntil(what, endWithin, () => over(before, env)))) yield* stopAll(before, what)
  yield* trySync(what, () => orders.forEach(({ earlier }) => archive(earlier)))
  const umask = yield* UsersUmask
  yield* Effect.forEach(locked, (one) => spawned(one, env["PATH"] ?? "/usr/bin:/bin", umask), { discard: true })
})

/**
 * Starts jobs: locks all, makes sure that earlier ones are over, moves their files away, spawns the wrappers. If it
 * fails, the jobs that did not start are fenced. `what` names all of this in faults.
 */
export const launchAll = Effect.fn("Launch.launchAll")(
  function*(orders: ReadonlyArray<Order>, what: string) {
    if (orders.length === 0) return
    const fencing = orFence(orders)
    yield* fencing(check(orders))
    const locked = yield* fencing(Effect.forEach(orders, (order) => opened(order, what)))
    const env = yield* Environment
    const free = yield* fencing(
      waitUntil(what, lockWithin, () => flockDescriptors(locked.map(({ fd }) => fd), "exclusive", env))
    )
    // Another process starts the same jobs, so they must not be fenced.
    if (!free) return yield* new GuardFault({ what, reason: { _tag: "BeingStarted" } })
    yield* fencing(started(locked, what, env))
  },
  Effect.scoped
)
