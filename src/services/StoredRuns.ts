// StoredRuns: the port to everything that lies under a state root, for readers of the past.
// The one rule: it only looks; nothing is created, locked or repaired.
import { Context, type Effect } from "effect"
import type { Digest } from "../core/run/Event.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { StoreFailed } from "./RunStore.ts"

export class StoredRuns extends Context.Service<StoredRuns, {
  /**
   * The runs of a repository, or of every repository, newest first, as the store names them: what a log says of
   * its run may differ, and is then a finding. None where there is no such place.
   */
  readonly list: (stateRoot: string, repoId: string | null) => Effect.Effect<ReadonlyArray<RunRef>, StoreFailed>
  /** The digest of a file that a run keeps, by its name in the run, or null when it is not there. */
  readonly digest: (run: RunRef, file: string) => Effect.Effect<Digest | null, StoreFailed>
}>()("ooda-codex-review/services/StoredRuns") {}
