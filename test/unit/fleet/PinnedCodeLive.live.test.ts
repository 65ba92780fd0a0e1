// PinnedCodeLive: what a submission shows is told with the place that its run has on every machine.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { pinnedCodeLayer } from "../../../src/fleet/PinnedCode.live.ts"
import { placesOf } from "../../../src/fleet/Mirror.live.ts"
import { Git } from "../../../src/code/Git.ts"
import { PinnedCode } from "../../../src/fleet/PinnedCode.ts"
import { eachInHome, inHome, run } from "../code/repositories.ts"
import { makeServer, submissionOf, treesDo } from "../code/strangers.ts"

eachInHome()

it("is told by the commits, and then answered without git", async () => {
  const one = submissionOf(makeServer())
  const tree = await treesDo((trees) => trees.open(one))
  const [pinned, repository] = await run(Effect.provide(
    PinnedCode.use((code) =>
      Effect.gen(function*() {
        const pinned = yield* code.pin(one, tree)
        const asked = Git.use((git) => git.repository(pinned.worktree))
        return [pinned, yield* Effect.provide(asked, code.shown([pinned]))] as const
      })
    ),
    pinnedCodeLayer(inHome("work"))
  ))
  assert.deepStrictEqual(
    [pinned.submission, pinned.tree, pinned.worktree],
    [one, tree, inHome("work", placesOf(one).worktree)]
  )
  assert.strictEqual(repository.root, pinned.worktree)
})
