// Guard: commands that outlive the process that starts them, and can be looked at and ended by any later one.
import { Clock, Effect } from "effect"
import { Environment } from "../../services/Environment.ts"
import { type GuardFault, trySync } from "./GuardFault.ts"
import type { Job, Order, Sighting } from "./Job.ts"
import { launchAll } from "./Launch.ts"
import { type Memory, sightings } from "./Look.ts"
import type { Transcript } from "./Progress.ts"
import { stopAll } from "./Stop.ts"

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

/** A guard that reads the progress of its commands from such transcripts. It remembers between its looks. */
export const makeGuard = (transcript: Transcript): Guard => {
  const memories = new Map<string, Memory>()
  return {
    launch: launchAll,
    look: Effect.fn("Guard.look")(function*(jobs, what, { acting }) {
      const now = yield* Clock.currentTimeMillis
      const env = yield* Environment
      return yield* trySync(what, () => sightings(jobs, memories, { transcript, now, acting, env }))
    }),
    stop: stopAll
  }
}
