// Faults: the system's errors become the port's; everything else stays the defect that it is.
import { Cause, Effect, Exit } from "effect"
import { assert, describe, it } from "vitest"
import { reading, writing } from "../../../src/log/Files.live.ts"
import { LogConflict, LogDamaged, LogMissing } from "../../../src/log/EventLog.ts"
import { systemError } from "./faultyFiles.ts"

const failing = (error: unknown) => () => {
  throw error
}
const failure = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly path: string }>) =>
  Effect.runPromise(Effect.flip(effect))

describe.each([["a reader", reading], ["a writer", writing]] as const)("%s", (_, calls) => {
  it("succeeds with what its calls give", async () =>
    assert.strictEqual(await Effect.runPromise(calls("/log", () => 42)), 42))

  it("fails with the system's error as the log's, named by its path", async () =>
    assert.deepInclude(await failure(calls("/log", failing(systemError("EIO")))), {
      _tag: "LogUnavailable",
      path: "/log"
    }))

  it("passes the port's own errors on", async () => {
    const damaged = new LogDamaged({ path: "x", line: 2, offset: 9, kind: "CRLF" })
    assert.strictEqual(await failure(calls("/log", failing(damaged))), damaged)
    assert.strictEqual((await failure(calls("/log", failing(new LogMissing({ path: "x" })))))._tag, "LogMissing")
  })

  it("dies of what is neither", async () => {
    const exit = await Effect.runPromiseExit(calls("/log", failing(new TypeError("a bug"))))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
  })
})

describe("a lost race", () => {
  const lost = new LogConflict({ path: "x", expected: 1, actual: 2 })

  it("is a writer's failure", async () => assert.strictEqual(await failure(writing("/log", failing(lost))), lost))

  it("is none that a reader could meet", async () => {
    const exit = await Effect.runPromiseExit(reading("/log", failing(lost)))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
  })
})
