// Stop: ends attempts and everything they started.
// The one rule: what has not begun is fenced; what has is over when nothing of it lives or holds its lock.
import { Clock, Effect } from "effect"
import { Environment } from "../../services/Environment.ts"
import { type Attempt, ReviewerFault } from "../../services/Reviewers.ts"
import { trySync } from "./TrySync.ts"
import { lives, locksHeld } from "./Liveness.ts"
import { leads, livingOf, signalGroup, signalProcess } from "./LivingProcesses.ts"
import { type Process, processAt } from "./ProcessTable.ts"
import { fence, type Guarded, readJournal } from "./Journal.ts"

// Milliseconds: from SIGTERM to SIGKILL; for a wrapper to put a large transcript together; for SIGKILL to take effect.
const grace = 2000
const finishing = 10_000
const dying = 5000
const every = 20

/** Waits until a condition holds, at most `limit` milliseconds, whatever the clock does; whether it does. */
export const until = Effect.fnUntraced(function*(what: string, limit: number, holds: () => boolean) {
  let waited = 0
  let last = yield* Clock.currentTimeMillis
  for (let pause = every; ; pause = Math.min(pause * 2, 100)) {
    if (yield* trySync(what, holds)) return true
    const now = yield* Clock.currentTimeMillis
    waited += Math.max(0, now - last)
    last = now
    if (waited >= limit) return false
    yield* Effect.sleep(pause)
  }
})

/** The journals of attempts that have one. The others are fenced, so that they can never begin. */
const begun = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<Guarded> =>
  attempts.flatMap(({ files, id }) => {
    const run = readJournal(files.run)
    // Created between the look and the fence: then it is there to be read.
    const now = run._tag === "Absent" && !fence(files.run, id) ? readJournal(files.run) : run
    return now._tag === "Guarded" ? [now] : []
  })

const half = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<Attempt> =>
  attempts.filter(({ files }) => readJournal(files.run)._tag === "Begun")

/** One pass over what lives of attempts, and of what was seen of them before: a child may outlive its descent. */
const survivors = (runs: ReadonlyArray<Guarded>, seen: Map<string, Process>) => {
  const { guards, others } = livingOf(runs)
  for (const one of others) seen.set(`${one.pid} ${one.ticks}`, one)
  const found = new Set(others.map(({ pid }) => pid))
  const older = [...seen.values()].filter(({ pid, ticks }) => !found.has(pid) && processAt(pid)?.ticks === ticks)
  return { guards, others: [...others, ...older] }
}

/** Ends attempts: SIGTERM to codex's group, a grace, SIGKILL to all that is left, wherever it went. */
export const stopAll = Effect.fn("Reviewers.stop")(function*(attempts: ReadonlyArray<Attempt>) {
  if (attempts.length === 0) return
  const what = `stopping ${attempts.length} reviewer(s)`
  const env = yield* Environment
  yield* trySync(what, () => begun(attempts))
  // A journal without its first line: its wrapper is writing it now, or was killed while it did.
  yield* until(what, grace, () => {
    const open = half(attempts)
    return open.length === 0 || !locksHeld(open.map(({ files }) => files.lock), env).includes(true)
  })
  const runs = yield* trySync(what, () => begun(attempts))
  const current = () => begun(attempts)
  const seen = new Map<string, Process>()
  // The wrapper is told too: it records why its reviewer ended, or does not start it at all.
  yield* trySync(what, () => {
    const { guards } = survivors(runs, seen)
    for (const { group, guard } of current()) {
      const wrapper = guards.find(({ pid }) => pid === guard.pid)
      if (wrapper !== undefined && lives(guard)) signalProcess(wrapper, "SIGTERM")
      if (group !== null) signalGroup(group, "SIGTERM")
    }
  })
  yield* until(what, grace, () => current().every(({ group, guard }) => group === null ? !lives(guard) : !leads(group)))
  yield* trySync(what, () => {
    const left = current()
    for (const { group } of left) if (group !== null) signalGroup(group, "SIGKILL")
    for (const one of survivors(left, seen).others) signalProcess(one, "SIGKILL")
  })
  yield* until(what, finishing, () => current().every(({ guard }) => !lives(guard)))
  const locks = attempts.map(({ files }) => files.lock)
  const over = yield* until(what, dying, () => {
    const left = current()
    const { guards, others } = survivors(left, seen)
    for (const { group } of left) if (group !== null) signalGroup(group, "SIGKILL")
    for (const one of [...guards, ...others]) signalProcess(one, "SIGKILL")
    return guards.length === 0 && others.length === 0 && !locksHeld(locks, env).includes(true)
  })
  if (over) return
  const { guards, others } = yield* trySync(what, () => survivors(current(), seen))
  const pids = [...guards, ...others].map(({ pid }) => pid)
  return yield* new ReviewerFault({
    what,
    reason: pids.length === 0 ? { _tag: "LockHeldUnseen" } : { _tag: "CannotBeEnded", pids }
  })
})
