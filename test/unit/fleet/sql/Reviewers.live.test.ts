// Reviewers: what a row shows of an attempt, and what of a launch is stored. test/fleet launches for real.
import { Effect, Fiber, Layer } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import {
  type AttemptRow,
  launchIn,
  launchText,
  reviewersLayer,
  stateOf
} from "../../../../src/fleet/sql/Reviewers.live.ts"
import { type Launch, Reviewers } from "../../../../src/review/Reviewers.ts"
import type { ReviewerState } from "../../../../src/run/ReviewTokens.ts"
import { runRef } from "../../run/events.ts"
import { nowhere } from "./nowhere.ts"

const row: AttemptRow = {
  id: "a",
  state: "leased",
  silent: 7,
  waiting: 3,
  bytes: 99,
  status: null,
  deadline: false,
  oversize: false,
  age: 0
}

const alive = (silentFor: number, waitingForNetwork: number, bytes: number): ReviewerState => ({
  _tag: "Alive",
  silentFor,
  waitingForNetwork,
  bytes
})

describe("a row", () => {
  it.each<readonly [Partial<AttemptRow>, ReviewerState]>([
    [{ state: "absent" }, alive(0, 0, 0)],
    [{ state: "offered" }, alive(0, 0, 0)],
    [{ state: "leased" }, alive(7, 3, 99)],
    [{ state: "fenced" }, { _tag: "Unstarted" }],
    [{ state: "lost", status: 0 }, { _tag: "Lost" }],
    [{ state: "stopped", status: 0 }, { _tag: "Lost" }],
    [{ state: "exited" }, { _tag: "Lost" }],
    [{ state: "exited", status: 0 }, { _tag: "Exited", status: 0, deadline: false }],
    [{ state: "exited", status: 137, deadline: true }, { _tag: "Exited", status: 137, deadline: true }],
    [{ state: "exited", status: 1, oversize: true }, { _tag: "Exited", status: 1, deadline: false, oversize: true }]
  ])("%j shows %j", (fields, state) => assert.deepStrictEqual(stateOf({ ...row, ...fields }), state))
})

describe("a launch", () => {
  const stored: Omit<Launch, "binary"> = {
    argv: ["review", "--base", "main", "-c", 'model_reasoning_effort="low"'],
    cwd: "/work/trees/a/7/x-y/a",
    isolated: true,
    line: { seq: 2, hash: "a".repeat(64) },
    reviewTimeout: 3_600_000,
    maxTranscript: 1024 ** 3
  }

  const launch: Launch = { binary: "./codex", ...stored }

  it("comes back unchanged, and its program is not even stored", async () => {
    const text = launchText(launch)
    assert.deepStrictEqual(await Effect.runPromise(launchIn(text)), stored)
    assert.notInclude(text, launch.binary)
  })

  it("of an earlier version, with a program, comes back without it", async () =>
    assert.deepStrictEqual(await Effect.runPromise(launchIn(JSON.stringify(launch))), stored))

  it.each(["", "{}", "[]", launchText(launch).replace("review", "\u0000").slice(1)])(
    "%j is no launch",
    async (text) => assert.isDefined(await Effect.runPromise(Effect.flip(launchIn(text))))
  )
})

describe("waiting", () => {
  const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
  const attempt = { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1, id: "a" } as const

  const go = <A, E>(use: (them: Reviewers["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.provide(Reviewers.use(use), Layer.provide(reviewersLayer, Layer.merge(nowhere, queues))))

  it("a waiting caller looks once a second", async () => {
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
})
