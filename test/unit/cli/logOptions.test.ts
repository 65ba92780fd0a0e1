// logOptions: the log that a call is asked to keep, and that it says which call it is and how it ends.
import { Effect, Logger, References, Result } from "effect"
import { assert, describe, it } from "vitest"
import { logCall, logLevel, logLevels, logOptions } from "../../../src/cli/logOptions.ts"
import { BadEnvironment } from "../../../src/platform/Environment.ts"

const asked = (level: string | null, file: string | null) =>
  Result.getOrElse(
    logOptions((flag) => [flag === "--log-level" ? level : file].filter((text) => text !== null)),
    (problem) => problem
  )

describe("the two flags", () => {
  it("ask for nothing where they are not given", () =>
    assert.deepStrictEqual(asked(null, null), { level: null, file: null }))

  it.each(Object.entries(logLevels))(
    "%s is Effect's %s",
    (name, level) => assert.deepStrictEqual(asked(name, "a/b"), { level, file: "a/b" })
  )

  it("say what is wrong with a level or a path", () => {
    assert.strictEqual(asked("loud", null), '--log-level "loud": expected trace, debug, info, warn, error or none')
    assert.strictEqual(asked(null, ""), '--log-file "": expected a path, not an empty text')
  })
})

it("no name of an object's own is a level", () =>
  assert.deepStrictEqual(["toString", "Debug", ""].filter((text) => Result.isSuccess(logLevel(text))), []))

const gone = new BadEnvironment({ reason: { _tag: "NoDirectory" } })

const entriesOf = (call: Effect.Effect<number, BadEnvironment>): ReadonlyArray<unknown> => {
  const entries: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    entries.push([logLevel, String(message), fiber.getRef(References.CurrentLogAnnotations)])
  })
  const whole = Effect.ignore(logCall(call, { call: "runs" }, (exit) => ({ exit })))
  Effect.runSync(Effect.provide(whole, Logger.layer([logger])))
  return entries
}

it("a call that ends", () =>
  assert.deepStrictEqual(entriesOf(Effect.succeed(0)), [
    ["Info", "the call begins", { call: "runs" }],
    ["Info", "the call ended", { exit: 0 }]
  ]))

it("a call that fails", () =>
  assert.deepStrictEqual(entriesOf(Effect.fail(gone)), [
    ["Info", "the call begins", { call: "runs" }],
    ["Error", "the call failed", { error: gone.message }]
  ]))
