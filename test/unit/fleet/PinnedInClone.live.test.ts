// PinnedInClone: the code is what is pinned, the repository is the caller's, and no run is over because a path is gone.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { pinnedInCloneLayer } from "../../../src/fleet/PinnedCode.live.ts"
import { Dismissals } from "../../../src/review/findings/Dismissals.ts"
import { Git } from "../../../src/code/Git.ts"
import { pinnedOf } from "./pins.ts"

it("answers for the caller's repository and for the pinned code", async () => {
  const pinned = pinnedOf()
  const { branch, pr } = pinned.submission
  const repository = { root: "/any/root", id: "x-1" }
  const told = await Effect.runPromise(
    Effect.gen(function*() {
      const git = yield* Git
      return {
        repository: yield* git.repository("/somewhere"),
        identity: yield* git.identity(pinned.worktree, { _tag: "PullRequest", number: pr }, branch),
        exists: yield* git.exists("/gone"),
        dismissals: yield* (yield* Dismissals).read(pinned.worktree, { _tag: "Base", branch })
      }
    }).pipe(Effect.provide(pinnedInCloneLayer([pinned], Effect.succeed(repository))))
  )
  const { dismissals, identity } = pinned
  assert.deepStrictEqual(told, { repository, identity, exists: true, dismissals })
})
