// Without a narrator a driver works in silence.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Narrator, unheard } from "../../../src/drive/Narrator.ts"

it("nobody listens by default", async () => {
  const telling = await Effect.runPromise(Effect.map(Narrator, (one) => one))
  assert.strictEqual(telling, unheard)
  assert.isUndefined(await Effect.runPromise(telling.say("a line")))
})
