// ReviewersSql: without a database nobody is taken for living or dead. test/fleet launches for real.
import { Effect, Fiber, Layer } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import { reviewersLayer } from "../../../../src/fleet/sql/Reviewers.live.ts"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import { runRef } from "../../run/events.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
const attempt = { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1, id: "a" } as const
const launch = {
  binary: "codex",
  argv: [],
  cwd: "/work",
  isolated: true,
  line: { seq: 1, hash: "" },
  reviewTimeout: 1,
  maxTranscript: 1
}
const go = <A, E>(use: (them: Reviewers["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(Reviewers.use(use), Layer.provide(reviewersLayer, Layer.merge(nowhere, queues))))

it.each([
  ["starting reviewers", (them: Reviewers["Service"]) => Effect.asVoid(them.launch([attempt], launch))],
  ["looking at reviewers", (them: Reviewers["Service"]) => Effect.asVoid(them.look([attempt]))],
  ["stopping reviewers", (them: Reviewers["Service"]) => Effect.asVoid(them.stop([attempt]))]
])("%s is an error", async (what, ask) => isUnreached(what, await go((them) => Effect.flip(ask(them)))))

it("nothing is asked about nobody, and codex is looked for by who runs it", async () =>
  assert.deepStrictEqual(
    await go((them) => Effect.all([them.look([]), them.stop([]), them.locate("codex", "/nowhere")])),
    [[], 0, "codex"]
  ))

it("whoever waits looks once a second", async () => {
  const looked = (them: Reviewers["Service"]) =>
    Effect.scoped(Effect.gen(function*() {
      const nextEnd = yield* them.listen(attempt)
      const waiting = yield* Effect.forkChild(nextEnd([attempt], 60_000))
      yield* TestClock.adjust(999)
      const early = waiting.pollUnsafe()
      yield* TestClock.adjust(1)
      yield* Fiber.join(waiting)
      return early === undefined
    })).pipe(Effect.provide(TestClock.layer()))
  assert.isTrue(await go(looked))
})
