// ProgressTty: silent where standard error is no terminal that can be redrawn; test/process/progress has one that can.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { layer } from "../../../../src/adapters/terminal/ProgressTty.ts"
import { Environment } from "../../../../src/services/Environment.ts"
import { Progress } from "../../../../src/services/Progress.ts"

it("draws nothing on a terminal that cannot redraw", async () => {
  const { on } = await Effect.runPromise(
    Progress.pipe(Effect.provide(layer), Effect.provideService(Environment, { TERM: "dumb" }))
  )
  assert.isFalse(on)
})
