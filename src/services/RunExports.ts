// RunExports: the port to directories that runs are written into out of a database, so that files hold them too.
import { Context, type Effect } from "effect"
import type { RunContents } from "./FleetStore.ts"
import type { StoreFailed } from "./RunStore.ts"

export class RunExports extends Context.Service<RunExports, {
  /**
   * Writes a run below the directory `name`, a state root afterwards, and returns its path. A directory that holds
   * anything is refused: what stands there stays.
   */
  readonly write: (cwd: string, name: string, contents: RunContents) => Effect.Effect<string, StoreFailed>
}>()("ooda-codex-review/services/RunExports") {}
