// System: a machine across many effects, whose time moves while something waits, and never while a port is at work.
import { Clock, Effect, Exit, Ref } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { layer } from "../../../src/testing/Memory.ts"
import { start, type System } from "../../../src/testing/System.ts"
import { World } from "../../../src/testing/World.ts"

let system: System
beforeEach(() => {
  system = start(layer())
})
afterEach(() => system.dispose())

const value = async <A, E>(exit: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const ended = await exit
  return Exit.isSuccess(ended) ? ended.value : assert.fail(String(ended.cause))
}

describe("a machine", () => {
  it("keeps what one effect leaves behind, its time too", async () => {
    await value(system.run(Effect.andThen(Effect.sleep("1 hour"), World.use(({ code }) => Ref.set(code, "code-2")))))
    const [code, now] = await value(
      system.run(Effect.all([World.use(({ code }) => Ref.get(code)), Clock.currentTimeMillis]))
    )
    assert.strictEqual(code, "code-2")
    assert.isAtLeast(now, 3_600_000)
  })

  it("shares nothing with another one", async () => {
    const other = start(layer())
    await value(other.run(World.use(({ code }) => Ref.set(code, "code-2"))))
    await other.dispose()
    assert.strictEqual(await value(system.run(World.use(({ code }) => Ref.get(code)))), "code-1")
  })

  it("gives an effect's failure as it is", async () =>
    assert.deepStrictEqual(await system.run(Effect.fail("no")), Exit.fail("no")))
})

describe("its time", () => {
  it("overshoots what was waited for by a hundredth at most", async () => {
    const waited = Effect.andThen(Effect.sleep("10 hours"), Clock.currentTimeMillis)
    const now = await value(system.run(waited))
    assert.isAtLeast(now, 36_000_000)
    assert.isAtMost(now, 36_400_000)
  })

  it("stands still for what needs no time, and while a port is at work", async () => {
    const port = World.use(({ witnessed }) =>
      witnessed("Port.change", Effect.promise(() => new Promise((done) => setTimeout(done, 20))))
    )
    const both = Effect.all([Effect.sleep("1 minute"), port], { concurrency: 2, discard: true })
    assert.strictEqual(await value(system.run(Effect.andThen(port, Clock.currentTimeMillis))), 0)
    assert.isAtMost(await value(system.run(Effect.andThen(both, Clock.currentTimeMillis))), 60_700)
  })

  it("ends a program that waits for ever", async () => {
    const exit = await system.run(Effect.sleep("60 days"))
    assert.match(Exit.isFailure(exit) ? String(exit.cause) : "", /still waits after a month of virtual time/)
  })
})
