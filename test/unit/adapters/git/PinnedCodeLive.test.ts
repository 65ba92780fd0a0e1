// PinnedCodeLive: what a clone shows is told with the place that its run has on every machine.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { layer as dismissals } from "../../../../src/adapters/git/DismissalsLive.ts"
import { layer as git } from "../../../../src/adapters/git/GitLive.ts"
import { layer } from "../../../../src/adapters/git/PinnedCodeLive.ts"
import { strangersVariables } from "../../../../src/adapters/git/Stranger.ts"
import { placesOf } from "../../../../src/adapters/git/FleetPlaces.ts"
import { Git } from "../../../../src/services/Git.ts"
import { PinnedCode } from "../../../../src/services/PinnedCode.ts"
import { eachInHome, inHome, run } from "./repositories.ts"
import { makeServer, submissionOf, treesDo } from "./strangers.ts"

eachInHome()

it("is told by the live git, and then answered without it", async () => {
  const one = submissionOf(makeServer())
  const tree = await treesDo((trees) => trees.open(one))
  const live = layer(inHome("work"), strangersVariables(process.env, null, null))
  const [pinned, repository] = await run(Effect.provide(
    PinnedCode.use((code) =>
      Effect.gen(function*() {
        const pinned = yield* code.told(one, tree)
        const asked = Git.use((git) => git.repository(pinned.worktree))
        return [pinned, yield* Effect.provide(asked, code.shown([pinned]))] as const
      })
    ),
    Layer.provide(live, Layer.merge(git, dismissals))
  ))
  assert.deepStrictEqual(
    [pinned.submission, pinned.tree, pinned.worktree],
    [one, tree, inHome("work", placesOf(one).worktree)]
  )
  assert.strictEqual(repository.root, pinned.worktree)
})
