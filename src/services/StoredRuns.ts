// StoredRuns: the port to everything that lies under a state root, for readers of the past.
// The one rule: it only looks; nothing is created, locked or repaired.
import { Context, type Effect } from "effect"
import type { Digest } from "../core/run/Event.ts"
import type { StoreFailed } from "./RunStore.ts"

/** A run as its directory names it; what its log says may differ, and is then a finding. */
export interface StoredRun {
  readonly runId: string
  readonly dir: string
  readonly repoId: string
  readonly targetKey: string
}

export class StoredRuns extends Context.Service<StoredRuns, {
  /** The runs of a repository, or of every repository, newest first. None where there is no such directory. */
  readonly list: (stateRoot: string, repoId: string | null) => Effect.Effect<ReadonlyArray<StoredRun>, StoreFailed>
  /** The digest of a file that a run keeps, named from the run's directory, or null when it is not there. */
  readonly digest: (run: string, file: string) => Effect.Effect<Digest | null, StoreFailed>
}>()("ooda-codex-review/services/StoredRuns") {}
