// TestConsents: the port to the tests that a person allowed with `init`, by worktree and content.
import { Context, type Effect } from "effect"
import type { Repository } from "../code/Git.ts"
import type { StoreFailed } from "../run/RunStore.ts"

/** Test commands, by their digest, in one worktree of a repository. */
export interface WorktreeTests {
  readonly worktree: Repository
  readonly content: string
}

export class TestConsents extends Context.Service<TestConsents, {
  /** Keeps the consent to these tests in the state root, or the default one for null; it is made if it is missing. */
  readonly keep: (stateRoot: string | null, tests: WorktreeTests) => Effect.Effect<void, StoreFailed>
  /** Whether the named state root or a default one keeps it. One that cannot be read or trusted keeps none. */
  readonly holds: (stateRoot: string | null, tests: WorktreeTests) => Effect.Effect<boolean>
}>()("ooda-codex-review/drive/TestConsents") {}
