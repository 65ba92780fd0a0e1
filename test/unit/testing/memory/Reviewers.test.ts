// Reviewers: whether a scripted reviewer runs is read off the clock; what was fenced or stopped never starts again.
import { Clock, Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import type { ReviewerState } from "../../../../src/run/ReviewTokens.ts"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import { reviewersLayer } from "../../../../src/testing/memory/Reviewers.ts"
import { clean, failure, type Scripted, silence } from "../../../../src/testing/Scripted.ts"
import type { Services } from "../../../../src/testing/Memory.ts"
import { World } from "../../../../src/testing/World.ts"
import { attempt, launch } from "../attempts.ts"
import { onMachine } from "../../run/opened.ts"

const onLayer = <A, E>(effect: Effect.Effect<A, E, Services | World>): Promise<A> =>
  onMachine(effect, { reviewers: reviewersLayer })
const one = attempt()

/** What looks at the first attempt show after these milliseconds from its launch. */
const looks = (scripted: Scripted, ...after: ReadonlyArray<number>): Promise<ReadonlyArray<ReviewerState>> =>
  onLayer(Effect.gen(function*() {
    const reviewers = yield* Reviewers
    yield* World.use(({ script }) => Ref.set(script, () => scripted))
    yield* reviewers.launch([one], launch)
    const seen: Array<ReviewerState> = []
    let now = 0
    for (const then of after) {
      yield* Effect.sleep(then - now)
      now = then
      seen.push(...yield* reviewers.look([one]))
    }
    return seen
  }))
const tags = (states: ReadonlyArray<ReviewerState>) => states.map(({ _tag }) => _tag)

describe("a reviewer", () => {
  it("lives until it is due, and then has exited with its status", async () => {
    const seen = await looks(clean(5000), 1000, 6000)
    assert.deepStrictEqual(seen, [
      { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 },
      { _tag: "Exited", status: 0, deadline: false }
    ])
  })

  it("is heard at the instant it is due, and not after the limit", async () => {
    const waited = (limit: number) =>
      onLayer(
        Effect.gen(function*() {
          const reviewers = yield* Reviewers
          yield* World.use(({ script }) => Ref.set(script, () => clean(5000)))
          yield* reviewers.launch([one], launch)
          const from = yield* Clock.currentTimeMillis
          const wait = yield* reviewers.listen(one)
          yield* wait([one], limit)
          return { after: (yield* Clock.currentTimeMillis) - from, states: tags(yield* reviewers.look([one])) }
        }).pipe(Effect.scoped)
      )
    const [heard, late] = [await waited(60_000), await waited(3000)]
    assert.deepStrictEqual([heard.states, late.states], [["Exited"], ["Alive"]])
    assert.isAtLeast(heard.after, 5000)
    assert.isBelow(heard.after, 6000)
    assert.isBelow(late.after, 5000)
  })

  it("that fails exits with its status", async () =>
    assert.deepInclude((await looks(failure(10), 1000))[0], { _tag: "Exited", status: 1 }))

  it("that hangs is silent for as long as it lives, and ended by its deadline", async () => {
    const [silent, ended] = await looks(silence, 60_000, launch.reviewTimeout + 60_000)
    assert.strictEqual(silent?._tag, "Alive")
    assert.isAtLeast(silent?._tag === "Alive" ? silent.silentFor : 0, 60_000)
    assert.deepStrictEqual(ended, { _tag: "Exited", status: 143, deadline: true })
  })

  it("is ended by a stop, and by a new attempt of its slot", async () => {
    const states = await onLayer(Effect.gen(function*() {
      const reviewers = yield* Reviewers
      yield* World.use(({ script }) => Ref.set(script, () => silence))
      yield* reviewers.launch([one, attempt(2)], launch)
      yield* reviewers.stop([one])
      yield* reviewers.launch([attempt(2, 2)], launch)
      return yield* reviewers.look([one, attempt(2), attempt(2, 2)])
    }))
    assert.deepStrictEqual(tags(states), ["Exited", "Exited", "Alive"])
    assert.deepInclude(states[0], { status: 143, deadline: false })
  })
})

describe("an attempt without a reviewer", () => {
  const looked = (options?: { readonly acting: boolean }) =>
    onLayer(Effect.gen(function*() {
      const reviewers = yield* Reviewers
      const seen = [...yield* reviewers.look([one], options)]
      yield* Effect.sleep("4 seconds")
      seen.push(...yield* reviewers.look([one], options))
      yield* reviewers.launch([one], launch)
      return [...tags(seen), ...tags(yield* reviewers.look([one], options))]
    }))

  it("may be starting for a while, and is then fenced for good", async () =>
    assert.deepStrictEqual(await looked(), ["Alive", "Unstarted", "Unstarted"]))

  it("is not fenced by somebody who only looks", async () =>
    assert.deepStrictEqual(await looked({ acting: false }), ["Alive", "Alive", "Exited"]))

  it("can never start once it was stopped", async () =>
    assert.deepStrictEqual(
      await onLayer(Effect.gen(function*() {
        const reviewers = yield* Reviewers
        yield* reviewers.stop([one])
        yield* reviewers.launch([one], launch)
        return tags(yield* reviewers.look([one]))
      })),
      ["Unstarted"]
    ))
})

describe("the world", () => {
  it("says what an attempt does by the attempt and its launch, and is told of launches and stops", async () => {
    const told: Array<string> = []
    const seen = await onLayer(Effect.gen(function*() {
      const world = yield* World
      const reviewers = yield* Reviewers
      yield* Ref.set(world.witness, (call, when) => Effect.sync(() => void told.push(`${when} ${call}`)))
      yield* Ref.set(world.script, ({ slot }) => slot === 1 ? clean(10) : failure(10))
      yield* reviewers.launch([one, attempt(2)], launch)
      yield* Effect.sleep("1 second")
      yield* reviewers.stop([one])
      return yield* reviewers.look([one, attempt(2)])
    }))
    assert.deepStrictEqual(seen.map((state) => state._tag === "Exited" ? state.status : state._tag), [0, 1])
    assert.deepStrictEqual(told, [
      "before Reviewers.launch",
      "after Reviewers.launch",
      "before Reviewers.stop",
      "after Reviewers.stop"
    ])
  })
})
