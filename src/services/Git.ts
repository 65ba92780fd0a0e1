// Git: the port to the repository under review.
// The one rule: it only ever reads; no question asked here writes into the repository.
import { Context, type Effect, Schema } from "effect"
import type { Identity } from "../core/run/Identity.ts"
import type { BranchName, Target } from "../core/run/Target.ts"

/** git could not answer: not installed, not a repository, a broken one. `reason` is one line. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  what: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `git: ${this.what}: ${this.reason}`
  }
}

/** Where we are: the worktree's root and `<repo-id>`. */
export interface Repository {
  readonly root: string
  readonly id: string
}

export class Git extends Context.Service<Git, {
  /** The repository around a directory. */
  readonly repository: (cwd: string) => Effect.Effect<Repository, GitFailed>
  /** The identity of what a target's review would see now; `base` is a pull request's resolved base. */
  readonly identity: (root: string, target: Target, base: BranchName | null) => Effect.Effect<Identity>
  /** What is wrong with a target for `--strict-target`, or null: unresolvable, or nothing to review. */
  readonly targetProblem: (
    root: string,
    target: Target,
    base: BranchName | null
  ) => Effect.Effect<string | null, GitFailed>
}>()("ooda-codex-review/services/Git") {}
