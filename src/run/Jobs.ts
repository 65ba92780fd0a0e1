// Jobs: agents, tests and reviewers may not decide about their own work, nor change how it is judged.
// Whatever one of them starts has the mark of its guard, or is below a process that has it (`Liveness`). A process that
// sheds the variable and the limit is not recognised; what it dismisses in a round is recorded as such (`Dismissal`).
import { Effect, Schema } from "effect"
import { Environment } from "../platform/Environment.ts"
import { exits } from "../platform/Failure.ts"
import { hasMark, marksHere } from "../platform/guard/Liveness.ts"
import { ownerOf } from "./Owner.ts"
import { RunStore } from "./RunStore.ts"

/** This process belongs to an agent, a test or a reviewer of a run of the worktree. Nothing was changed. */
export class NotAPerson extends Schema.TaggedError<NotAPerson>()("NotAPerson", { run: Schema.String }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `an agent, a test or a reviewer of run ${this.run} may not decide about its worktree [a person can]`
  }
}

/**
 * Fails if this process belongs to a job of a run of a worktree, in some stores or in those that a call finds by itself: a
 * job may name another one. Runs of other worktrees do not count.
 */
export const refuseJobs = Effect.fn("Jobs.refuseJobs")(function*(roots: ReadonlyArray<string>, worktree: string) {
  const marks = marksHere(yield* Environment)
  if (marks.size === 0) return
  const { jobs, list, roots: found } = yield* RunStore
  const own = yield* Effect.orElseSucceed(found(null, worktree, false), () => [])
  for (const run of (yield* Effect.forEach(new Set([...roots, ...own]), (root) => list(root, null))).flat()) {
    if (!(yield* jobs(run)).some((id) => hasMark(marks, id))) continue
    const owner = yield* ownerOf(run)
    if (owner._tag !== "Worktree" || owner.path === worktree) return yield* new NotAPerson({ run: run.runId })
  }
})
