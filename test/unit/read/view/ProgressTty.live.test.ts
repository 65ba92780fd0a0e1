// ProgressTty: silent where standard error is no terminal that can be redrawn; test/process/progress has one that can.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { ttyLayer } from "../../../../src/read/view/Progress.live.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { Progress } from "../../../../src/review/Progress.ts"

it("draws nothing on a terminal that cannot redraw", async () => {
  const { on } = await Effect.runPromise(
    Progress.pipe(Effect.provide(ttyLayer), Effect.provideService(Environment, { TERM: "dumb" }))
  )
  assert.isFalse(on)
})
