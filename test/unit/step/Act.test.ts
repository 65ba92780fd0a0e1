// Act: each decision performed, and what it leaves for the next turn of the loop.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import type { Decision } from "../../../src/run/Decide.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import { act } from "../../../src/step/Loop.ts"
import type { NextDecision } from "../../../src/step/Next.ts"
import { noWaivers } from "../../../src/review/Waivers.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { batchStarted, finished, started, stopped } from "../run/events.ts"
import { living, onMachine, opened, tags } from "../run/opened.ts"

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 2 })
const options = { settings, cwd: "/repo", pollInterval: 1000, isStopped: Effect.succeed(false) }
const forEver = Number.POSITIVE_INFINITY
const next = (decision: Decision): NextDecision => ({
  decision,
  present: null,
  lost: null,
  waivers: noWaivers,
  takenForClean: []
})
const runs = next({ _tag: "RunReviews", cause: "not-started", key: "low/batch-1/not-started" })
const waits = next({ _tag: "AwaitReviews", key: "low/batch-1" })

describe("acting on", () => {
  it("a halt prepares it and ends in its outcome", async () => {
    const { acted, written } = await onMachine(Effect.gen(function*() {
      const run = yield* opened([batchStarted({ size: 1 }), started(), finished("Clean")])
      const acted = yield* act(run, next({ _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }), forEver, options)
      return { acted, written: yield* tags }
    }))
    assert.deepInclude(acted, { outcome: { _tag: "DoneFixedPoint" }, completed: null })
    assert.deepStrictEqual([acted.run.head.seq, written.at(-1)], [3, ["FixedPointReached"]])
  })

  it("a need for reviews starts them, and the loop goes on", async () => {
    const { acted, reviewers, written } = await onMachine(Effect.gen(function*() {
      const acted = yield* act(yield* opened(), runs, forEver, options)
      const reviewers = yield* World.use((world) => Ref.get(world.reviewers))
      return { acted, reviewers: reviewers.map(({ attempt }) => attempt.slot), written: yield* tags }
    }))
    assert.deepInclude(acted, { outcome: null, completed: null })
    assert.deepStrictEqual(reviewers, [1, 2])
    assert.deepStrictEqual(written, [["BatchStarted", "ReviewStarted", "ReviewStarted"]])
  })

  it("a need for reviews whose private repository is gone ends the call, and names it and the batch after it", async () => {
    const replaced: NextDecision = {
      ...next({ _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }),
      lost: "/private"
    }
    const before = [batchStarted({ isolated: "/private" }), started(), finished("Clean"), stopped({ slot: 2 })]
    const { outcome } = await onMachine(Effect.flatMap(opened(before), (run) => act(run, replaced, forEver, options)))
    assert.deepStrictEqual(outcome, {
      _tag: "BinaryError",
      message: "the private repository of low batch 1 (/private) is gone: low batch 2 reviews the code instead " +
        "[call again to await it; 1 finished review of low batch 1 kept]"
    })
  })

  /** Waits on two reviewers that take a time; until when, at most. */
  const awaiting = (takes: number, until: number) =>
    onMachine(
      Effect.gen(function*() {
        const { run } = yield* act(yield* opened(), runs, forEver, options)
        return yield* act(run, waits, until, options)
      }),
      { script: () => Scripted.clean(takes) }
    )

  it("a wait of whoever was asked to end before it began ends its reviewers", async () => {
    const { acted, left, written } = await onMachine(
      Effect.gen(function*() {
        const { run } = yield* act(yield* opened(), runs, forEver, options)
        const acted = yield* act(run, waits, forEver, { ...options, isStopped: Effect.succeed(true) })
        return { acted, left: yield* living, written: yield* tags }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([acted.outcome, left], [null, []])
    assert.deepStrictEqual(written.at(-1), ["ReviewStopped", "ReviewStopped"])
  })

  it("a start by whoever was asked to end before it ends its reviewers, also where the call would end now", async () => {
    const replaced: NextDecision = {
      ...next({ _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }),
      lost: "/private"
    }
    const asked = { ...options, isStopped: Effect.succeed(true) }
    const { acted, left, written } = await onMachine(
      Effect.gen(function*() {
        const before = [batchStarted({ isolated: "/private" }), started(), finished("Clean"), stopped({ slot: 2 })]
        const acted = yield* act(yield* opened(before), replaced, forEver, asked)
        return { acted, left: yield* living, written: yield* tags }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([acted.outcome, left], [null, []])
    assert.deepStrictEqual(written.at(-1), ["ReviewStopped", "ReviewStopped"])
  })

  it("a wait goes on with the identity that completing the batch has computed", async () => {
    const { completed, outcome, run } = await awaiting(500, forEver)
    assert.deepStrictEqual([completed, outcome, run.head.seq], [identityOf("code-1", null), null, 3])
  })

  it("a wait that ends with its poll interval goes on without one", async () => {
    const { completed, outcome, run } = await awaiting(60_000, forEver)
    assert.deepStrictEqual([completed, outcome, run.head.seq], [null, null, 2])
  })

  it("a wait that ends with the time of the step is Idle", async () => {
    const { completed, outcome } = await awaiting(60_000, 300)
    assert.deepStrictEqual([completed, outcome], [null, { _tag: "Idle" }])
  })
})
