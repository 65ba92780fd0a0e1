// Commits: the port that commits the work of a round, as a person would: with the hooks and the settings of git.
import { Context, type Effect } from "effect"

/** What git did: the id of the commit, or null where it refused; `output` is what it and its hooks said. */
export interface Committed {
  readonly commit: string | null
  readonly output: string
}

export class Commits extends Context.Service<Commits, {
  /**
   * Commits everything in the worktree that git does not ignore. Never fails: a refusal is an answer. Where nothing
   * has changed, the answer is the present commit.
   */
  readonly commitAll: (worktree: string, message: string) => Effect.Effect<Committed>
}>()("ooda-codex-review/services/Commits") {}
