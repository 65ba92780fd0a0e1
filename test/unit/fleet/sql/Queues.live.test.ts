// Queues: what is offered twice is handed out once, each queue its own. In memory here.
import { Effect, Layer } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { assert, it } from "vitest"
import { offerBegin, offerReview, offerTurn, reviews, submitted, turns } from "../../../../src/fleet/sql/Queues.live.ts"

const target = { root: "pg:1", repoId: "a", targetKey: "pr/7" }
const inMemory = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)

it("hand out once what was offered twice, each queue its own", async () => {
  const taken = await Effect.runPromise(Effect.provide(
    Effect.gen(function*() {
      for (const _ of [1, 2]) {
        yield* offerReview("attempt")
        yield* offerTurn({ ...target, runId: "run" } as typeof target, "end of attempt")
        yield* offerBegin(target, "submission 1")
      }
      const all = [yield* reviews, yield* turns, yield* submitted] as const
      const one = yield* Effect.all([
        all[0].take(Effect.succeed),
        all[1].take(Effect.succeed),
        all[2].take(Effect.succeed)
      ])
      const more = yield* Effect.forEach(
        [Effect.as(all[0].take(Effect.succeed), 0), Effect.as(all[1].take(Effect.succeed), 1)],
        (take) => Effect.timeoutOption(take, 50)
      )
      return [one, more.map(({ _tag }) => _tag)]
    }),
    inMemory
  ))
  assert.deepStrictEqual(taken, [[{ attempt: "attempt" }, target, target], ["None", "None"]])
})
