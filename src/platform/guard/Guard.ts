// Guard: starts commands that outlive this process, looks at them, and ends them, from whichever process asks.
import { existsSync, type FSWatcher, watch } from "node:fs"
import { Clock, Effect, Latch, type Scope } from "effect"
import { Environment } from "../Environment.ts"
import { recovered } from "../Note.ts"
import { type GuardFault, type Job, type Order, type Sighting, trySync } from "./Job.ts"
import { launchAll } from "./Launch.ts"
import { type Memory, sightings, type Transcript } from "./Look.ts"
import { stopAll } from "./Stop.ts"

// Milliseconds between two checks for exit files. They find the ends that no touch announces: a killed wrapper touches
// nothing, a machine has only so many watches, and some file systems report no changes.
const askEvery = 250

/** Waits at most `limit` milliseconds for a change of these exit files since the last wait. */
type EndListener = (exits: ReadonlyArray<string>, limit: number) => Effect.Effect<void>

/** Watches a directory, where the system allows it. */
const watched = (directory: string, ring: () => void): Effect.Effect<FSWatcher | null> =>
  Effect.try(() => watch(directory, { persistent: false }, ring).on("error", () => {})).pipe(
    Effect.catch(({ cause }) => Effect.as(recovered("exit files are polled instead")(cause), null))
  )

/** Asks again and again for exit files until the scope ends. A bare timer: it costs a tenth of a fiber that sleeps. */
const asked = (exits: ReadonlyArray<string>, ring: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => setInterval(() => exits.some((path) => existsSync(path)) && ring(), askEvery)),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

/** Listens to a directory until the scope ends; the next wait hears everything from now on. */
export const listen = (directory: string): Effect.Effect<EndListener, never, Scope.Scope> => {
  const rung = Latch.makeUnsafe()
  const ring = () => void rung.openUnsafe()
  const ear: EndListener = (exits, limit) =>
    asked(exits, ring).pipe(
      Effect.andThen(Effect.timeoutOption(rung.await, limit)),
      Effect.andThen(rung.close),
      Effect.scoped
    )
  const watching = Effect.acquireRelease(watched(directory, ring), (watcher) => Effect.sync(() => watcher?.close()))
  return Effect.as(watching, ear)
}

// The guard

/** A guard of commands of one kind. `what` is the caller's name of what is done, for faults. */
export interface Guard {
  /**
   * Starts jobs that have been committed to. First, what earlier jobs left running is ended, and their files are moved
   * away. Where it fails, the jobs that did not start never will.
   */
  readonly launch: (orders: ReadonlyArray<Order>, what: string) => Effect.Effect<void, GuardFault>
  /**
   * Looks at jobs once, in order, also at those of other processes. It is cheap: a living command needs no helper.
   * Unless `acting` it only looks: it fences no job, ends no orphan and writes no file.
   */
  readonly look: (
    jobs: ReadonlyArray<Job>,
    what: string,
    options: { readonly acting: boolean }
  ) => Effect.Effect<ReadonlyArray<Sighting>, GuardFault>
  /** Ends jobs and everything they started: SIGTERM, a grace, SIGKILL. See `stopAll`. */
  readonly stop: (jobs: ReadonlyArray<Job>, what: string) => Effect.Effect<number, GuardFault>
}

// Milliseconds by which the clock has to jump: time servers correct less all the time.
const leap = 10_000

/**
 * Watches the clock for jumps ahead, as after a sleep of the machine: in the time that was skipped nothing could be
 * written. Gives the moment of the last jump that was seen (epoch milliseconds), 0 before one.
 */
const leapWatch = () => {
  let last: { readonly now: number; readonly passed: number } | null = null
  let leapt = 0
  return (now: number, passed: number): number => {
    if (last !== null && now - last.now - (passed - last.passed) > leap) leapt = now
    last = { now, passed }
    // It may be set back later.
    leapt = Math.min(leapt, now)
    return leapt
  }
}

/** A guard that reads the progress of its commands from such transcripts. It remembers between its looks. */
export const makeGuard = (transcript: Transcript): Guard => {
  const memories = new Map<string, Memory>()
  const leaptAt = leapWatch()
  return {
    launch: launchAll,
    look: Effect.fn("Guard.look")(function*(jobs, what, { acting }) {
      const now = yield* Clock.currentTimeMillis
      const leapt = leaptAt(now, Number(yield* Clock.monotonicTimeNanos) / 1e6)
      const env = yield* Environment
      return yield* trySync(what, () => sightings(jobs, memories, { transcript, now, leapt, acting, env }))
    }),
    stop: stopAll
  }
}
