// Dismissals: the dismissals of tests are what a test writes for each place, and what was added here.
import { Effect, Layer, Ref } from "effect"
import { assert, it } from "vitest"
import { Dismissals } from "../../../../src/review/findings/Dismissals.ts"
import { dismissalsPlace, dismissalsLayer } from "../../../../src/testing/memory/Code.ts"
import { layer as world, World } from "../../../../src/testing/World.ts"

it("dismissals in memory are told by their place", async () => {
  const trusted = { _tag: "Revision", revision: "v1" } as const
  const read = await Effect.runPromise(
    Effect.gen(function*() {
      const port = yield* Dismissals
      yield* Ref.update((yield* World).documents, (all) => new Map(all).set(dismissalsPlace(trusted), "theirs\n"))
      yield* port.add("/repo", "ours")
      return yield* Effect.forEach([{ _tag: "Worktree" }, trusted] as const, (from) => port.read("/repo", from))
    }).pipe(Effect.provide(Layer.provideMerge(dismissalsLayer, world())))
  )
  assert.deepStrictEqual(read, ["ours\n", "theirs\n"])
})
