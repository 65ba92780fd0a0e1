// World: what a program on memory layers finds outside itself, as a test writes it.
import { Effect, Exit, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { layer, World } from "../../../src/testing/World.ts"

const inWorld = <A, E>(effect: Effect.Effect<A, E, World>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer()))

describe("a signal", () => {
  it("reaches those who wait when it is fired, and no later one", async () => {
    const seen = await inWorld(Effect.gen(function*() {
      const { asked, fire } = yield* World
      const first = yield* Effect.forkChild(asked)
      yield* Effect.yieldNow
      yield* fire("SIGTERM")
      const late = yield* Effect.forkChild(asked)
      yield* Effect.yieldNow
      const waits = late.pollUnsafe() === undefined
      yield* fire("SIGINT")
      return [yield* Fiber.join(first), waits, yield* Fiber.join(late)]
    }))
    assert.deepStrictEqual(seen, ["SIGTERM", true, "SIGINT"])
  })
})

describe("a witnessed call", () => {
  it("is told of before and after it, and is under way in between", async () => {
    const told: Array<string> = []
    await inWorld(Effect.gen(function*() {
      const { busy, witness, witnessed } = yield* World
      yield* Ref.set(witness, (call, when) => Effect.sync(() => void told.push(`${when} ${call}`)))
      yield* witnessed(
        "Port.change",
        Effect.flatMap(Ref.get(busy), (n) => Effect.sync(() => void told.push(`busy ${n}`)))
      )
      told.push(`busy ${yield* Ref.get(busy)}`)
    }))
    assert.deepStrictEqual(told, ["before Port.change", "busy 1", "after Port.change", "busy 0"])
  })

  it("does not happen where the witness fails it before, and is over all the same", async () => {
    let happened = false
    const [exit, busy] = await inWorld(Effect.gen(function*() {
      const { busy, witness, witnessed } = yield* World
      yield* Ref.set(witness, () => Effect.die("killed"))
      const exit = yield* Effect.exit(witnessed("Port.change", Effect.sync(() => happened = true)))
      return [exit, yield* Ref.get(busy)] as const
    }))
    assert.isTrue(Exit.isFailure(exit))
    assert.deepStrictEqual([happened, busy], [false, 0])
  })
})

describe("a new world", () => {
  it("has the first code, no documents, and nobody at work", async () => {
    const [code, documents, reviewers] = await inWorld(
      World.use((world) => Effect.all([Ref.get(world.code), Ref.get(world.documents), Ref.get(world.reviewers)]))
    )
    assert.deepStrictEqual([code, documents.size, reviewers.length], ["code-1", 0, 0])
  })
})
