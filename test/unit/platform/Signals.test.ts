// Signals: the three signals that end a step from outside, and a port that completes with one of them.
import { Effect, Layer, Option } from "effect"
import { assert, describe, expectTypeOf, it } from "vitest"
import { type SignalName, Signals } from "../../../src/platform/Process.ts"

const asked = Signals.use(({ asked }) => asked)

describe("signals", () => {
  it("are the ones that ask a step to end, told apart from one another", () =>
    expectTypeOf<SignalName>().toEqualTypeOf<"SIGINT" | "SIGTERM" | "SIGHUP">())

  it("complete with the one that asked", async () => {
    const hangup = Layer.succeed(Signals, { asked: Effect.succeed<SignalName>("SIGHUP") })
    assert.strictEqual(await Effect.runPromise(Effect.provide(asked, hangup)), "SIGHUP")
  })

  it("end no step that nobody asks to end", async () => {
    const quiet = Layer.succeed(Signals, { asked: Effect.never })
    assert.isTrue(Option.isNone(await Effect.runPromise(Effect.provide(Effect.timeoutOption(asked, 10), quiet))))
  })
})
