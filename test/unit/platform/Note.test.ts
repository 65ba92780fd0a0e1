// Notes: seen only by who asks for Effect's levels Debug and Trace.
import { Effect, Logger, type LogLevel, References } from "effect"
import { assert, describe, it } from "vitest"
import { note, recovered, trace } from "../../../src/platform/Note.ts"

/** What reaches a host's logger from a level on; null is the level that Effect has by default. */
const heard = (effect: Effect.Effect<void>, least: LogLevel.LogLevel | null): ReadonlyArray<unknown> => {
  const entries: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    entries.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)])
  })
  const logging = Effect.provide(effect, Logger.layer([logger]))
  Effect.runSync(least === null ? logging : Effect.provideService(logging, References.MinimumLogLevel, least))
  return entries
}

describe("a note", () => {
  it("is silent by default", () => {
    assert.deepStrictEqual(heard(Effect.all([note("a"), trace("b"), recovered("c")("d")], { discard: true }), null), [])
  })

  it("has the level Debug and says what it is about", () => {
    assert.deepStrictEqual(heard(note("started", { slot: 1 }), "Debug"), [["Debug", ["started"], { slot: 1 }]])
    assert.deepStrictEqual(heard(trace("looked"), "Debug"), [])
    assert.deepStrictEqual(heard(trace("looked"), "Trace"), [["Trace", ["looked"], {}]])
  })

  it("of a failure says what the program does instead, and what failed", () => {
    const entry = (error: string) => [["Debug", ["recovered: the run stays"], { error }]]
    assert.deepStrictEqual(heard(recovered("the run stays")(new Error("no room")), "Debug"), entry("no room"))
    assert.deepStrictEqual(heard(recovered("the run stays")("late"), "Debug"), entry("late"))
  })
})
