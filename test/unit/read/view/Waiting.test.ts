// Where no host says otherwise, nobody is shown that a subcommand works.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Waiting } from "../../../../src/read/view/BusyLine.ts"

it("is silent by default", async () => {
  const { clear, on, show } = await Effect.runPromise(Effect.map(Waiting, (waiting) => waiting))
  assert.isFalse(on)
  await Effect.runPromise(Effect.andThen(show("x"), clear))
})
