// Stop: ends jobs and everything they started.
import { Effect, Schedule } from "effect"
import { Environment, type Variables } from "../Environment.ts"
import type { Process } from "../Processes.ts"
import { GuardFault, type Job, trySync } from "./Job.ts"
import { fence, readJournal, type StartedJournal } from "./Journal.ts"
import { leads, lives, livingOf, locksHeld, signalGroup, signalProcess } from "./Liveness.ts"

// Milliseconds: 20, 40, 80, then every 100.
const pauses = Schedule.min([Schedule.exponential(20), Schedule.spaced(100)])

/**
 * Waits until a condition holds, at most `limit` milliseconds, and returns whether it does. A timer measures the limit,
 * so setting the clock does not change it. The condition is checked once more at the end.
 */
export const waitUntil = (what: string, limit: number, holds: () => boolean): Effect.Effect<boolean, GuardFault> => {
  const look = trySync(what, holds)
  return look.pipe(
    Effect.repeat({ until: (held) => held, schedule: pauses }),
    Effect.timeoutOrElse({ duration: limit, orElse: () => look })
  )
}

// A job that has not begun is fenced. A job that has begun is over when none of its processes lives or holds its lock.

// Milliseconds: from SIGTERM to SIGKILL; for a wrapper to assemble a large transcript; for SIGKILL to take effect.
const grace = 2000
const finishing = 10_000
const dying = 5000

/** The journals of jobs that have begun. The others are fenced, so that they never can. */
const begun = (jobs: ReadonlyArray<Job>): ReadonlyArray<StartedJournal> =>
  jobs.flatMap((job) => {
    const journal = readJournal(job.files.journal)
    // The journal was created between the look and the fence, so it can be read now.
    const now = journal._tag === "Absent" && !fence(job) ? readJournal(job.files.journal) : journal
    return now._tag === "Started" ? [now] : []
  })

const opened = (jobs: ReadonlyArray<Job>): ReadonlyArray<Job> =>
  jobs.filter(({ files }) => readJournal(files.journal)._tag === "Opened")

/** One pass over the living processes of jobs, including those seen before: a child may lose its descent. */
const survivors = (journals: ReadonlyArray<StartedJournal>, seen: Map<string, Process>, env: Variables) => {
  const living = livingOf(journals, env, [...seen.values()])
  for (const one of living.others) seen.set(`${one.pid} ${one.start}`, one)
  return living
}

/**
 * Ends jobs: SIGTERM to the command's group, a grace, SIGKILL to all that is left, wherever it went. Returns how many
 * of their processes lived, without wrappers. A process that removed both marks and left its group and its parents
 * cannot be recognised, and lives on.
 */
export const stopAll = Effect.fn("Stop.stopAll")(function*(jobs: ReadonlyArray<Job>, what: string) {
  if (jobs.length === 0) return 0
  const env = yield* Environment
  yield* trySync(what, () => begun(jobs))
  // A journal without its first line: its wrapper is writing it now, or was killed while doing so.
  yield* waitUntil(what, grace, () => {
    const open = opened(jobs)
    return open.length === 0 || !locksHeld(open.map(({ files }) => files.lock), env).includes(true)
  })
  const first = yield* trySync(what, () => begun(jobs))
  const current = () => begun(jobs)
  const seen = new Map<string, Process>()
  // The wrapper gets the signal too: it records why its command ended, or does not start it at all.
  yield* trySync(what, () => {
    const { wrappers } = survivors(first, seen, env)
    for (const { group, wrapper } of current()) {
      const living = wrappers.find(({ pid }) => pid === wrapper.pid)
      if (living !== undefined && lives(wrapper, env)) signalProcess(living, "SIGTERM", env)
      if (group !== null) signalGroup(group, "SIGTERM", env)
    }
  })
  yield* waitUntil(
    what,
    grace,
    () => current().every(({ group, wrapper }) => group === null ? !lives(wrapper, env) : !leads(group, env))
  )
  yield* trySync(what, () => {
    const left = current()
    for (const { group } of left) if (group !== null) signalGroup(group, "SIGKILL", env)
    for (const one of survivors(left, seen, env).others) signalProcess(one, "SIGKILL", env)
  })
  yield* waitUntil(what, finishing, () => current().every(({ wrapper }) => !lives(wrapper, env)))
  const locks = jobs.map(({ files }) => files.lock)
  const over = yield* waitUntil(what, dying, () => {
    const left = current()
    const { others, wrappers } = survivors(left, seen, env)
    for (const { group } of left) if (group !== null) signalGroup(group, "SIGKILL", env)
    for (const one of [...wrappers, ...others]) signalProcess(one, "SIGKILL", env)
    return wrappers.length === 0 && others.length === 0 && !locksHeld(locks, env).includes(true)
  })
  if (over) return seen.size
  const { others, wrappers } = yield* trySync(what, () => survivors(current(), seen, env))
  const pids = [...wrappers, ...others].map(({ pid }) => pid)
  return yield* new GuardFault({
    what,
    reason: pids.length === 0 ? { _tag: "LockHeldUnseen" } : { _tag: "CannotBeEnded", pids }
  })
})
