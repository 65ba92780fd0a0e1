// Machine: whatever is wrong with a machine is an answer of this port, never a failure.
import type { Effect } from "effect"
import { assert, describe, expectTypeOf, it } from "vitest"
import { Machine } from "../../../../src/read/doctor/Machine.ts"

type Port = Machine["Service"]

describe("the machine", () => {
  it("answers without failing, whatever is asked of it", () => {
    expectTypeOf<Effect.Error<ReturnType<Port["ask"]>>>().toBeNever()
    expectTypeOf<Effect.Error<ReturnType<Port["storage"]>>>().toBeNever()
    expectTypeOf<Effect.Error<Port["codexHome"]>>().toBeNever()
  })

  it("asks nothing of those who ask: no answer needs another port", () => {
    expectTypeOf<Effect.Services<ReturnType<Port["ask"]>>>().toBeNever()
    expectTypeOf<Effect.Services<ReturnType<Port["storage"]>>>().toBeNever()
  })

  it("is a port under its own key", () => assert.strictEqual(Machine.key, "ooda-codex-review/services/Machine"))
})
