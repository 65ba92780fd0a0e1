// Memory: all ports of the program in memory, over one world; a host can replace any of them.
// The witness of the world sees every call that changes something, even in a layer of the host.
import { Effect, Layer } from "effect"
import type { Agent } from "../agent/Agent.ts"
import type { Commits } from "../drive/Commits.ts"
import type { Drivers } from "../drive/DriverLock.ts"
import type { Dismissals } from "../review/findings/Dismissals.ts"
import type { Reviewers } from "../review/Reviewers.ts"
import { EventLog } from "../log/EventLog.ts"
import type { Git } from "../code/Git.ts"
import type { GitHub } from "../code/GitHub.ts"
import type { ReviewFiles } from "../review/ReviewFiles.ts"
import type { RunStore } from "../run/RunStore.ts"
import type { Signals } from "../platform/Process.ts"
import type { Snapshots } from "../code/Snapshots.ts"
import type { Tests } from "../drive/Tests.ts"
import { agentLayer as agents, testsLayer as tests } from "./memory/Agent.ts"
import {
  commitsLayer as commits,
  dismissalsLayer as dismissals,
  gitHubLayer as gitHub,
  gitLayer as git,
  snapshotsLayer as snapshots
} from "./memory/Code.ts"
import { layer as eventLog } from "./memory/EventLog.ts"
import { driversLayer as drivers, signalsLayer as signals } from "./memory/Machine.ts"
import { reviewersLayer as reviewers, reviewFilesLayer as reviewFiles } from "./memory/Reviewers.ts"
import { layer as runStore } from "./memory/RunStore.ts"
import { layer as world, type Script, World } from "./World.ts"

export { identityOf, type SnapshotScript } from "./memory/Code.ts"
export { planFilesLayer as planFiles } from "./memory/Machine.ts"
export {
  agents,
  commits,
  dismissals,
  drivers,
  eventLog,
  git,
  gitHub,
  reviewers,
  reviewFiles,
  runStore,
  signals,
  snapshots,
  tests,
  world
}

/** Everything that a step, an audit and the runner of agents need. */
export type Services =
  | Agent
  | Commits
  | Drivers
  | Reviewers
  | Dismissals
  | EventLog
  | Git
  | GitHub
  | ReviewFiles
  | RunStore
  | Signals
  | Snapshots
  | Tests

/** The layers of the host; all others are in memory. A layer of the host may read the world too. */
export interface Options {
  readonly script?: Script
  readonly git?: Layer.Layer<Git, never, World>
  readonly gitHub?: Layer.Layer<GitHub, never, World>
  readonly agent?: Layer.Layer<Agent, never, World>
  readonly reviewers?: Layer.Layer<Reviewers, never, World>
  readonly reviewFiles?: Layer.Layer<ReviewFiles, never, World>
  readonly dismissals?: Layer.Layer<Dismissals, never, World>
  readonly eventLog?: Layer.Layer<EventLog, never, World>
  readonly runStore?: Layer.Layer<RunStore, never, World>
  readonly snapshots?: Layer.Layer<Snapshots, never, World>
  readonly commits?: Layer.Layer<Commits, never, World>
  readonly tests?: Layer.Layer<Tests, never, World>
}

const witnessedLog = Layer.effect(
  EventLog,
  Effect.gen(function*() {
    const log = yield* EventLog
    const { witnessed } = yield* World
    return EventLog.of({
      ...log,
      create: (kind, run, events) => witnessed("EventLog.create", log.create(kind, run, events)),
      append: (kind, run, expected, events) => witnessed("EventLog.append", log.append(kind, run, expected, events))
    })
  })
)

/** A machine for the program: memory layers, or the host's own, over one world. A new one each time it is built. */
export const layer = (options: Options = {}): Layer.Layer<Services | World> =>
  Layer.mergeAll(
    options.agent ?? agents(),
    options.commits ?? commits,
    options.dismissals ?? dismissals,
    options.git ?? git(),
    options.gitHub ?? gitHub(),
    options.reviewers ?? reviewers,
    options.reviewFiles ?? reviewFiles,
    options.runStore ?? runStore,
    options.snapshots ?? snapshots(),
    options.tests ?? tests,
    drivers,
    signals,
    Layer.provide(witnessedLog, options.eventLog ?? eventLog)
  ).pipe(Layer.provideMerge(world(options.script)))
