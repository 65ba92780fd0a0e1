// Fleets: the port to the stores of fleets, each at an address, and to workers for them on this machine.
import { type Effect, type Layer, type Redacted, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunScope } from "./RunScope.ts"
import type { Settings } from "../run/Settings.ts"
import { brief } from "../text/Untrusted.ts"
import type { Dismissals } from "../review/findings/Dismissals.ts"
import type { EventLog } from "../log/EventLog.ts"
import type { FleetFacts, FleetStore } from "./FleetStore.ts"
import type { FleetTargets } from "./FleetTargets.ts"
import type { Git, GitFailed } from "../code/Git.ts"
import type { GitHub } from "../code/GitHub.ts"
import { CodexMissing, ReviewerFault, type Reviewers } from "../review/Reviewers.ts"
import type { ReviewFiles } from "../review/ReviewFiles.ts"
import type { RunStore, StoreFailed } from "../run/RunStore.ts"
import type { Snapshots } from "../code/Snapshots.ts"
import type { Submissions } from "./Submission.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { TreeFailed } from "./WorkingTrees.ts"

/**
 * Another worker has this name on this machine; its name cannot be locked; its work path differs from the fleet's; or
 * codex is missing, or no reviewer can be started.
 */
export const WorkerReason = Schema.Union([
  Schema.TaggedStruct("NameTaken", { machine: Schema.String }),
  Schema.TaggedStruct("LockRefused", { path: Schema.String, fault: SystemFault }),
  TreeFailed,
  CodexMissing,
  ReviewerFault
])
export type WorkerReason = typeof WorkerReason.Type

const reasonText = (reason: WorkerReason): string => {
  switch (reason._tag) {
    case "NameTaken":
      return `another worker called ${reason.machine} works on this machine [--name gives this one another]`
    case "LockRefused":
      return `${reason.path}: ${systemFaultText(reason.fault, reason.path)}`
    default:
      return reason.message
  }
}

/** A worker cannot work: another one has its name on this machine, or it lacks something. */
export class WorkerRefused extends Schema.TaggedError<WorkerRefused>()("WorkerRefused", { reason: WorkerReason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return brief(reasonText(this.reason), 500)
  }
}

/**
 * The settings of a worker. `work`: the path below which it expects to work, null for the recorded one. `name`
 * distinguishes it from others of this machine; `token` may read repositories of `host`; `active`: how many runs of the
 * whole fleet are active at once.
 */
export interface WorkerOptions extends Pick<Settings, "codexBin" | "idleTimeout" | "reviewTimeout"> {
  readonly work: string | null
  readonly name: string | null
  readonly account: string | null
  readonly access: { readonly host: string; readonly token: Redacted.Redacted } | null
  readonly capacity: number
  readonly active: number
  readonly retro: "park" | "clean"
}

type FleetPorts = FleetStore | FleetTargets | Submissions | EventLog | RunStore | ReviewFiles | Reviewers

/** The services that answer about the pinned code of a pull request. */
type PinnedPorts = Dismissals | Git | GitHub | Snapshots

/** The services that need a store in a database. */
export interface FleetAccess {
  /** The store at an address, which may not be set up yet. */
  readonly store: (url: Redacted.Redacted) => Layer.Layer<FleetStore, StoreFailed>
  readonly at: (url: Redacted.Redacted) => Layer.Layer<FleetPorts, StoreFailed>
  /** The same, with the pinned code of the runs that a call from a directory refers to. */
  readonly seen: (
    url: Redacted.Redacted,
    meant: RunScope,
    cwd: string
  ) => Layer.Layer<FleetPorts | PinnedPorts, StoreFailed | GitFailed>
  /** Works on the store's queues until a signal; `begun` runs as soon as it works. */
  readonly work: (
    url: Redacted.Redacted,
    facts: FleetFacts,
    asked: WorkerOptions,
    begun: Effect.Effect<void>
  ) => Effect.Effect<void, StoreFailed | WorkerRefused>
}
