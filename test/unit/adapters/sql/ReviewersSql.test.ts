// ReviewersSql: without a database nobody is taken for living or dead. test/fleet launches for real.
import { Effect, Layer } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { assert, it } from "vitest"
import { layer } from "../../../../src/adapters/sql/ReviewersSql.ts"
import { Reviewers } from "../../../../src/services/Reviewers.ts"
import { runRef } from "../../core/run/events.ts"
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
  Effect.runPromise(Effect.provide(Reviewers.use(use), Layer.provide(layer, Layer.merge(nowhere, queues))))

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
