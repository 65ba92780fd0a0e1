// A call in the log: that it begins, which it is, and how it ends.
import { Effect, Logger, References } from "effect"
import { assert, it } from "vitest"
import { BadEnvironment } from "../../../src/platform/Environment.ts"
import { logCall } from "../../../src/cli/logOptions.ts"

const gone = new BadEnvironment({ reason: { _tag: "NoDirectory" } })

const told = (call: Effect.Effect<number, BadEnvironment>): ReadonlyArray<unknown> => {
  const entries: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    entries.push([logLevel, String(message), fiber.getRef(References.CurrentLogAnnotations)])
  })
  const whole = Effect.ignore(logCall(call, { call: "runs" }, (exit) => ({ exit })))
  Effect.runSync(Effect.provide(whole, Logger.layer([logger])))
  return entries
}

it("a call that ends", () =>
  assert.deepStrictEqual(told(Effect.succeed(0)), [
    ["Info", "the call begins", { call: "runs" }],
    ["Info", "the call ended", { exit: 0 }]
  ]))

it("a call that fails", () =>
  assert.deepStrictEqual(told(Effect.fail(gone)), [
    ["Info", "the call begins", { call: "runs" }],
    ["Error", "the call failed", { error: gone.message }]
  ]))
