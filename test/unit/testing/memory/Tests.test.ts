// Tests in memory end as the script says, when their time has come, or when they are ended.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { Tests } from "../../../../src/drive/Tests.ts"
import { testsLayer } from "../../../../src/testing/memory/Agent.ts"
import { type ScriptedTest, World } from "../../../../src/testing/World.ts"
import { runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const ref = { run: runRef(), test: 1, id: "t" }
const scripted = (test: ScriptedTest) => World.use(({ testScript }) => Ref.set(testScript, () => test))
const started = Tests.use((tests) => tests.start(ref, { command: "npm test", cwd: "/repo", timeout: 1000 }))
const followed = Tests.use((tests) => tests.follow(ref))

describe("a test in memory", () => {
  it.each<[ScriptedTest, number | null]>([
    [{ exit: 0 }, 0],
    [{ exit: 1, output: "red", millis: 5000 }, 1],
    [{ exit: null }, null]
  ])("%o", async (test, exit) => {
    const end = await onMachine(scripted(test).pipe(Effect.andThen(started), Effect.andThen(followed)))
    assert.strictEqual(end?.exit, exit)
  })

  it("has a place of its own", async () => {
    const place = Tests.useSync((tests) => [tests.place(runRef(), 1), tests.place(runRef(), 2)])
    const [one, two] = await onMachine(Effect.provide(place, testsLayer))
    assert.notStrictEqual(one, two)
  })

  it("whose end is lost, or which never began, has none", async () => {
    assert.isNull(await onMachine(scripted("lost").pipe(Effect.andThen(started), Effect.andThen(followed))))
    assert.isNull(await onMachine(followed))
  })

  it("that hangs ends when it is ended", async () => {
    const end = await onMachine(Effect.gen(function*() {
      yield* Effect.andThen(scripted("hangs"), started)
      const following = yield* Effect.forkChild(followed)
      yield* Effect.sleep(60_000)
      yield* Tests.use((tests) => tests.stop([ref]))
      return yield* Fiber.join(following)
    }))
    assert.strictEqual(end?.exit, 143)
  })
})
