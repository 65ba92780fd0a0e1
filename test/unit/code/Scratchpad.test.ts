// The place for temporary copies of code: none unless an invocation gives one.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Scratchpad } from "../../../src/code/Scratchpad.ts"

it("is nowhere by default", async () =>
  assert.isNull(
    await Effect.runPromise(Effect.gen(function*() {
      return yield* Scratchpad
    }))
  ))
