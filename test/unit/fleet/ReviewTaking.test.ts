// ReviewTaking: a review that a worker cannot run goes back, the worker pauses, and in the end the review is lost.
import { Context, Effect, Layer } from "effect"
import type { PersistedQueue } from "effect/persistence/PersistedQueue"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import { reviewTaking } from "../../../src/fleet/ReviewTaking.ts"
import { Accounts } from "../../../src/fleet/Deliveries.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { saying } from "../../../src/run/FailureKind.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { TreeFailed } from "../../../src/fleet/WorkingTrees.ts"
import * as Memory from "../../../src/testing/Memory.ts"
import { pinnedOf } from "./pins.ts"
import { deliveriesWith, deliveryOf, evidence, submissionsWith, treesWith, workbenchWith } from "./fakes.ts"

const pinned = pinnedOf()
const delivery = deliveryOf(pinned)
const noTree = new TreeFailed({ path: "/work", reason: { _tag: "TreeTooLarge" } })
const fetching = new TreeFailed({ path: "/work", reason: { _tag: "LockHeld", seconds: 10 } })
const unread = new TreeFailed({
  path: "/work",
  reason: {
    _tag: "TreeUnknown",
    what: "looking for changes",
    fault: { _tag: "ProgramFailed", program: "git", status: null, said: "killed" }
  }
})
const away = new StoreFailed({
  path: "x",
  reason: { _tag: "DatabaseRefused", why: "unreachable", state: null }
})

interface Case {
  readonly failure: TreeFailed | StoreFailed | null
  readonly tries?: number
  /** How many seconds the account is left alone for. */
  readonly cools?: number
  readonly takes?: number
  /** Whether the account never has a place. */
  readonly full?: boolean
  /** The error that its reviewer's codex recorded. */
  readonly error?: string
}

/** Takes reviews one after the other; what happened, at which second. */
const taken = ({ cools = 0, error, failure, full = false, takes = 1, tries = 1 }: Case) => {
  const said: Array<string> = []
  const say = (what: string) =>
    Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (now) => void said.push(`${now / 1000} ${what}`)))
  const ports = Layer.mergeAll(
    Layer.succeed(Accounts, {
      using: (use) => full ? Effect.never : use,
      cools: Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (now) => now < cools * 1000)),
      cool: (most) => say(`cools for ${most / 1000}`)
    }),
    deliveriesWith({
      take: () => Effect.as(say("taken"), delivery),
      seen: () => Effect.succeed(true),
      ended: (_, { state }) => Effect.as(say(state._tag), true),
      returned: () => say("returned")
    }),
    submissionsWith([pinned], failure === away ? { pins: () => Effect.fail(away) } : {}),
    treesWith(
      pinned.tree,
      failure === unread
        ? { check: () => Effect.fail(unread) }
        : failure instanceof TreeFailed
        ? { open: () => Effect.fail(failure) }
        : {}
    ),
    workbenchWith(),
    Layer.mock(ReviewFiles, {
      evidence: () => Effect.succeed(error === undefined ? evidence : { ...evidence, error: saying(error) })
    }),
    Layer.mock(Reviewers, {
      locate: Effect.succeed,
      launch: () => Effect.void,
      look: () => Effect.succeed([{ _tag: "Exited", status: 9, deadline: false }]),
      listen: () => Effect.succeed(() => Effect.void),
      stop: () => Effect.succeed(0)
    })
  )
  const all = Layer.merge(Memory.layer(), ports)
  return Effect.runPromise(
    Effect.gen(function*() {
      const queue: Pick<PersistedQueue<{ readonly attempt: string }>, "take"> = {
        take: (use) => use({ attempt: "a" }, { id: "a", attempts: tries })
      }
      const local = Context.pick(Reviewers, ReviewFiles)(yield* Effect.context<Reviewers | ReviewFiles>())
      const take = yield* reviewTaking(queue, {
        ...{ machine: "m", codexBin: "codex", environment: {}, idleTimeout: 1000, tellEvery: 1000 },
        local
      })
      const one = Effect.catch(take(Effect.void), ({ _tag }) => say(_tag))
      const fiber = yield* Effect.forkChild(Effect.forEach(Array.from({ length: takes }), () => one))
      yield* TestClock.adjust("1 hour")
      fiber.interruptUnsafe()
      return said
    }).pipe(Effect.provide(Layer.merge(all, TestClock.layer())))
  )
}

describe("a review that is taken", () => {
  it("and ends is handed in", async () =>
    assert.deepStrictEqual(await taken({ failure: null }), ["0 taken", "0 Exited"]))

  it("and cannot be run goes back as if it had never been given, and the worker pauses for longer each time", async () => {
    const said = await taken({ failure: noTree, takes: 9 })
    assert.deepStrictEqual(said.slice(0, 6), [
      ...["0 taken", "0 returned", "0 TreeFailed"],
      ...["1 taken", "1 returned", "1 TreeFailed"]
    ])
    const times = said.filter((one) => one.endsWith(" taken")).map(Number.parseFloat)
    assert.deepStrictEqual(times, [0, 1, 3, 7, 15, 31, 63, 123, 183])
  })

  it("and cannot be run for an hour is lost", async () =>
    assert.deepStrictEqual(await taken({ failure: noTree, tries: 20 }), ["0 taken", "0 Lost"]))

  it("while the database is away stays with the worker until its lease is over, and does not count as a failure", async () =>
    assert.deepStrictEqual(
      await taken({ failure: away, takes: 2 }),
      ["0 taken", "0 StoreFailed", "0 taken", "0 StoreFailed"]
    ))

  it("and has ended, but in a copy that cannot be compared, goes back, and the worker pauses for longer each time", async () => {
    const said = await taken({ failure: unread, takes: 3 })
    assert.deepStrictEqual(said, [
      ...["0 taken", "6 returned", "6 TreeFailed"],
      ...["7 taken", "13 returned", "13 TreeFailed"],
      ...["15 taken", "21 returned", "21 TreeFailed"]
    ])
  })

  it("is not taken before the account has a place", async () =>
    assert.isEmpty(await taken({ failure: null, full: true })))

  it("waits while the account is left alone, although its place was taken before", async () =>
    assert.deepStrictEqual(await taken({ failure: null, cools: 3 }), ["3 taken", "3 Exited"]))

  it("has the account left alone for a minute when its provider asks for less", async () =>
    assert.deepStrictEqual(
      await taken({ failure: null, error: "exceeded retry limit, last status: 429 Too Many Requests" }),
      ["0 taken", "0 Exited", "0 cools for 60"]
    ))

  it("goes back while another one fetches from its repository, and does not count as a failure", async () =>
    assert.deepStrictEqual(
      await taken({ failure: fetching, tries: 20, takes: 2 }),
      ["0 taken", "0 returned", "0 TreeFailed", "0 taken", "0 returned", "0 TreeFailed"]
    ))
})
