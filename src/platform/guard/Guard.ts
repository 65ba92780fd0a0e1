// Guard: starts commands that outlive this process, looks at them, and ends them, from whichever process asks.
import { existsSync, type FSWatcher, watch } from "node:fs"
import { Clock, Effect, Latch, type Scope } from "effect"
import { Environment } from "../Environment.ts"
import { recovered } from "../Note.ts"
import { type GuardFault, type Job, type Order, type Sighting, trySync } from "./Job.ts"
import { launchAll } from "./Launch.ts"
import { type Memory, sightings, type Transcript } from "./Look.ts"
import { stopAll } from "./Stop.ts"

// Milliseconds between two checks for exit files, which find the ends that no touch announces: a killed wrapper touches
// nothing, a machine has a limited number of watches, and some file systems report no changes.
const askEvery = 250

/** Waits at most `limit` milliseconds for a change of these exit files since the last wait. */
type EndListener = (exits: ReadonlyArray<string>, limit: number) => Effect.Effect<void>

/** Watches a directory, if the system allows it. */
const watched = (directory: string, ring: () => void): Effect.Effect<FSWatcher | null> =>
  Effect.try(() => watch(directory, { persistent: false }, ring).on("error", () => {})).pipe(
    Effect.catch(({ cause }) => Effect.as(recovered("exit files are polled instead")(cause), null))
  )

/** Checks for exit files until the scope ends. A bare timer: it costs a tenth of a sleeping fiber. */
const asked = (exits: ReadonlyArray<string>, ring: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => setInterval(() => exits.some((path) => existsSync(path)) && ring(), askEvery)),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

/** Listens to a directory until the scope ends; the next wait sees everything from now on. */
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

/** A guard of commands of one kind. `what` is the caller's name of the action, for faults. */
export interface Guard {
  /**
   * Starts jobs that were committed. First, what earlier jobs left running is ended, and their files are moved away. If
   * it fails, the jobs that did not start never will.
   */
  readonly launch: (orders: ReadonlyArray<Order>, what: string) => Effect.Effect<void, GuardFault>
  /**
   * Looks at jobs once, in order, whichever process started them. It is cheap: a living command needs no helper.
   * Without `acting` it only looks: it fences no job, ends no orphan and writes no file.
   */
  readonly look: (
    jobs: ReadonlyArray<Job>,
    what: string,
    options: { readonly acting: boolean }
  ) => Effect.Effect<ReadonlyArray<Sighting>, GuardFault>
  /** Ends jobs and everything they started: SIGTERM, a grace, SIGKILL. See `stopAll`. */
  readonly stop: (jobs: ReadonlyArray<Job>, what: string) => Effect.Effect<number, GuardFault>
}

// The least jump of the clock in milliseconds that counts: time servers correct less all the time.
const leap = 10_000

/**
 * Watches for forward jumps of the clock, as after a sleep of the machine: nothing could be written in the skipped
 * time. Returns the time of the last jump seen (epoch milliseconds), or 0.
 */
const leapWatch = () => {
  let last: { readonly now: number; readonly passed: number } | null = null
  let leapt = 0
  return (now: number, passed: number): number => {
    if (last !== null && now - last.now - (passed - last.passed) > leap) leapt = now
    last = { now, passed }
    // The clock may be set back later.
    leapt = Math.min(leapt, now)
    return leapt
  }
}

/** A guard that reads the progress of its commands from such transcripts. It has a memory between its looks. */
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
