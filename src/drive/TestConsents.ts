// TestConsents: the port to what a person allowed by `init`: the tests of a worktree, by their content.
import { Context, type Effect } from "effect"
import type { Repository } from "../code/Git.ts"
import type { StoreFailed } from "../run/RunStore.ts"

/** Test commands, by their digest, in one worktree of a repository. */
export interface WorktreeTests {
  readonly worktree: Repository
  readonly content: string
}

/** The state root that a call names; null for the default ones. */
type StateRoot = string | null

export class TestConsents extends Context.Service<TestConsents, {
  /** Keeps the consent to these tests in the state root, which is made where it is missing. */
  readonly keep: (stateRoot: StateRoot, tests: WorktreeTests) => Effect.Effect<void, StoreFailed>
  /** Whether the named state root or a default one keeps it. One that cannot be read or trusted keeps none. */
  readonly holds: (stateRoot: StateRoot, tests: WorktreeTests) => Effect.Effect<boolean>
}>()("ooda-codex-review/drive/TestConsents") {}
