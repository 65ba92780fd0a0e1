// fleetLayers: the layers of a store in a database, and of a worker of a fleet.
// They are loaded only when such a store is named.
import { Effect, Layer, type Redacted } from "effect"
import { cloneAt, pinnedCodeLayer as pinnedCode, pinnedInCloneLayer as pinnedInClone } from "./fleet/PinnedCode.live.ts"
import { layer as workingTrees, type WorkPaths } from "./fleet/WorkingTrees.live.ts"
import { layer as accounts, lockSession, unlimited } from "./fleet/sql/Locks.live.ts"
import { attempts, reviewersLayer as reviewers, reviewFilesLayer as reviewFiles } from "./fleet/sql/Reviewers.live.ts"
import { database } from "./fleet/sql/Database.live.ts"
import { layer as deliveries } from "./fleet/sql/Deliveries.live.ts"
import { layer as eventLog } from "./fleet/sql/EventLog.live.ts"
import { queues, reviews, submitted, turns } from "./fleet/sql/Queues.live.ts"
import { layer as fleetTargets } from "./fleet/sql/FleetTargets.live.ts"
import { layer as runStore } from "./fleet/sql/RunStore.live.ts"
import { layer as submissions } from "./fleet/sql/Submissions.live.ts"
import { fits } from "./fleet/sql/Tables.live.ts"
import { layer as workbench, placeOf } from "./fleet/Workbench.live.ts"
import { layer as localReviewers } from "./review/Reviewers.live.ts"
import { layer as localReviewFiles } from "./review/ReviewFiles.live.ts"
import { signalsLayer as processSignals } from "./platform/Process.live.ts"
import { withFileLock } from "./log/FileLock.live.ts"
import { layer as fleetStore } from "./fleet/sql/FleetStore.live.ts"
import type { RunScope } from "./fleet/RunScope.ts"
import { reviewersVariables } from "./fleet/Executor.ts"
import { FleetTargets } from "./fleet/FleetTargets.ts"
import { seenTarget } from "./fleet/SeenTarget.ts"
import { work } from "./fleet/Worker.ts"
import { Environment, withRootedPath } from "./platform/Environment.ts"
import type { FleetFacts, FleetStore } from "./fleet/FleetStore.ts"
import { type WorkerOptions, type WorkerReason, WorkerRefused } from "./fleet/Fleets.ts"
import { recovered } from "./platform/Note.ts"
import { Reviewers } from "./review/Reviewers.ts"
import type { Run } from "./run/Run.ts"
import type { StoreFailed } from "./run/RunStore.ts"
import { TreeFailed } from "./fleet/WorkingTrees.ts"

// Milliseconds. A process that takes nothing from the queues needs no lease; the store gives workers theirs.
const noLease = 30_000

/** The rules of a worker: how long it may be silent, and which account its reviewers use. */
interface Leasing {
  readonly lease: number
  readonly account: string | null
}

/** The ports to the runs in a database: what the file layers of `stepLayers.ts` are for a state root. */
const ports = (leasing: Leasing | null) =>
  Layer.unwrap(Effect.gen(function*() {
    yield* fits
    const session = yield* lockSession(leasing?.lease)
    const { facts, underWay } = yield* attempts
    const account = leasing?.account ?? null
    return Layer.mergeAll(
      eventLog,
      runStore({ locked: session.locked, reviewersAlive: underWay }),
      reviewFiles(facts),
      reviewers,
      submissions,
      fleetStore,
      fleetTargets,
      deliveries,
      account === null ? unlimited : accounts(account, session)
    )
  }))

// Connections of a worker beside the one for locks: it asks little, and there may be many workers.
const ofWorker = 2

/** A store in the database at a URL: the ports to runs, reviews, submissions and targets, and the queues between. */
export const stored = (url: Redacted.Redacted, leasing: Leasing | null = null) => {
  const connected = leasing === null ? database(url) : database(url, ofWorker)
  return Layer.provideMerge(ports(leasing), Layer.provideMerge(queues(leasing?.lease ?? noLease), connected))
}

/** The store itself, which may not be set up yet. */
export const storeAt = (url: Redacted.Redacted): Layer.Layer<FleetStore, StoreFailed> =>
  Layer.provide(fleetStore, database(url))

/** The store, with the pinned code of the runs that a call from a directory refers to. */
export const seen = (url: Redacted.Redacted, meant: RunScope, cwd: string) =>
  Layer.unwrap(Effect.gen(function*() {
    const ports = yield* Layer.build(stored(url))
    const { pins, repository } = yield* Effect.provideContext(seenTarget(meant, cloneAt(cwd)), ports)
    return Layer.merge(Layer.succeedContext(ports), pinnedInClone(pins, repository))
  }))

/** A worker's own services beside the store: its work path, and the place for what it runs. */
export const ofMachine = (works: WorkPaths, own: string) =>
  Layer.mergeAll(workingTrees(works), workbench(own), pinnedCode(works.work))

export const ofReviewers = Layer.merge(localReviewers, localReviewFiles)

const refused = (reason: WorkerReason) => new WorkerRefused({ reason })

/** The work of this machine for a store, by a worker that was called at `cwd`. */
export const workFor = Effect.fnUntraced(
  function*(
    url: Redacted.Redacted,
    { lease, name: root, work: recorded }: FleetFacts,
    asked: WorkerOptions,
    begun: Effect.Effect<void>,
    cwd: string
  ) {
    const variables = withRootedPath(yield* Environment)
    const { elsewhere, lock, machine, own } = yield* placeOf(recorded, asked.name, asked.work)
    if (elsewhere !== null) {
      return yield* refused(new TreeFailed({ path: elsewhere, reason: { _tag: "WorkElsewhere", recorded } }))
    }
    const { access, account, active, capacity, idleTimeout, retro, reviewTimeout } = asked
    const working = Effect.gen(function*() {
      const local = yield* Layer.build(ofReviewers)
      // Found once, from the worker's start directory: later it is among the files of strangers.
      const codexBin = yield* Reviewers.use((them) => them.locate(asked.codexBin, cwd)).pipe(
        Effect.provideContext(local),
        Effect.provideService(Environment, variables),
        Effect.mapError(refused)
      )
      const queues = { reviews: yield* reviews, turns: yield* turns, submitted: yield* submitted }
      yield* begun
      yield* work({
        ...{ active, capacity, codexBin, idleTimeout, local, machine, queues, retro, reviewTimeout, root },
        environment: reviewersVariables(variables, url),
        tellEvery: lease / 3
      })
    })
    yield* withFileLock(lock, working, 0).pipe(
      Effect.provide([
        stored(url, { lease, account }),
        ofMachine({ work: recorded, recorded, access }, own),
        processSignals
      ]),
      Effect.scoped,
      Effect.catchTag("LockFailed", ({ path, reason }) =>
        refused(
          reason._tag === "LockHeld"
            ? { _tag: "NameTaken", machine }
            : { _tag: "LockRefused", path, fault: reason }
        )),
      Effect.catchTag("ReviewerFault", refused)
    )
  }
)

/** A mark on a run in a store wakes the fleet, which continues that run. */
export const wake = (run: Run | null) =>
  run === null
    ? Effect.void
    : FleetTargets.use((targets) => targets.wakeLater(run.ref, `mark ${run.manifest.run_id} ${run.head.seq}`, 0)).pipe(
      Effect.catch(recovered("the fleet goes on at its next look"))
    )
