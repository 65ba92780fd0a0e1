// FleetStore: the port to the store of a fleet: its setup, and everything it holds of a run.
import { Context, type Effect } from "effect"
import type { RunRef } from "../log/Refs.ts"
import type { Head } from "../log/StreamKind.ts"
import type { StoreFailed } from "../run/RunStore.ts"
import type { LeftFile } from "./Deliveries.ts"

/**
 * The setup of a fleet: the name of its store, the path on every machine below which code is reviewed, whether
 * repositories of its own machines may be submitted, and the `lease`: after so many milliseconds of silence, a worker's
 * work is given to another.
 */
export interface FleetFacts {
  readonly name: string
  readonly work: string
  readonly local: boolean
  readonly lease: number
}

/**
 * The input of a setup. A null `work` or `lease` keeps the recorded one; another `lease` replaces it for workers that
 * begin later. `local` stays true once it was set.
 */
export interface FleetSetup {
  readonly work: string | null
  readonly local: boolean
  readonly lease: number | null
  readonly writer: string | null
  readonly account: { readonly name: string; readonly cap: number } | null
}

/** All that a store holds of a run: its logs as bytes with the line each ends at, and the files beside them. */
export interface RunContents {
  readonly run: RunRef
  readonly isLatest: boolean
  readonly logs: ReadonlyArray<{ readonly kind: string; readonly head: Head; readonly bytes: Buffer }>
  readonly files: ReadonlyArray<LeftFile>
}

export class FleetStore extends Context.Service<FleetStore, {
  /** Creates the tables or migrates them to this version, and records what is not recorded yet. */
  readonly setUp: (asked: FleetSetup) => Effect.Effect<FleetFacts & { readonly isNew: boolean }, StoreFailed>
  /** The setup of the fleet. Fails without a setup of this version, or if the server may lose commits. */
  readonly facts: Effect.Effect<FleetFacts, StoreFailed>
  readonly contents: (run: RunRef) => Effect.Effect<RunContents, StoreFailed>
}>()("ooda-codex-review/services/FleetStore") {}

export class RunExports extends Context.Service<RunExports, {
  /** Writes a run below the directory `name`, which must be missing or empty, and returns its path. */
  readonly write: (cwd: string, name: string, contents: RunContents) => Effect.Effect<string, StoreFailed>
}>()("ooda-codex-review/services/RunExports") {}
