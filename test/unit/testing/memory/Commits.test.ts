// Commits in memory are counted.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { Commits } from "../../../../src/drive/Commits.ts"
import { commitsLayer } from "../../../../src/testing/memory/Code.ts"
import { layer as world } from "../../../../src/testing/World.ts"

it("each commit has an id of its own", async () => {
  const both = Commits.use((commits) => Effect.all([commits.commitAll("/repo", "a"), commits.commitAll("/repo", "b")]))
  const [first, second] = await Effect.runPromise(Effect.provide(both, Layer.provide(commitsLayer, world())))
  assert.match(first.commit ?? "", /^0+1$/)
  assert.notStrictEqual(first.commit, second.commit)
})
