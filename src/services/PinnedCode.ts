// PinnedCode: the port to code that is pinned: what a clone shows is told once, and answers for it from then on.
import { Context, type Effect, type Layer } from "effect"
import type { Submission } from "../core/fleet/Submission.ts"
import type { Dismissals, DismissalsFailed } from "./Dismissals.ts"
import type { Git, GitFailed } from "./Git.ts"
import type { GitHub } from "./GitHub.ts"
import type { Snapshots } from "./Snapshots.ts"
import type { Pinned } from "./Submissions.ts"

export class PinnedCode extends Context.Service<PinnedCode, {
  /** Tells what the clone of a submission at `tree` shows. Fails where that is not what was submitted. */
  readonly told: (submission: Submission, tree: string) => Effect.Effect<Pinned, GitFailed | DismissalsFailed>
  /** All that the program asks about code, answered by what is pinned of one target, the newest first. */
  readonly shown: (pins: ReadonlyArray<Pinned>) => Layer.Layer<Git | GitHub | Dismissals | Snapshots>
}>()("ooda-codex-review/services/PinnedCode") {}
