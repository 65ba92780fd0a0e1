// Drivers in memory: one at a time for each target.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { AlreadyDriven, Drivers } from "../../../../src/drive/DriverLock.ts"
import { driversLayer } from "../../../../src/testing/memory/Machine.ts"
import { runRef } from "../../run/events.ts"

it("a second driver is refused until the first has left", async () => {
  const other = { ...runRef(), targetKey: "base/other" }
  const play = Drivers.use(({ driving }) =>
    Effect.gen(function*() {
      const nested = driving(runRef(), () => Effect.succeed("inside"))
      const refused = yield* driving(runRef(), () => Effect.flip(nested))
      return [refused, yield* driving(runRef(), () => driving(other, Effect.succeed)), yield* nested] as const
    })
  )
  const [refused, beside, after] = await Effect.runPromise(Effect.provide(play, driversLayer))
  assert.instanceOf(refused, AlreadyDriven)
  assert.deepStrictEqual([beside, after], [1, "inside"])
})

it("the one that drives is seen while it does", async () => {
  const play = Drivers.use(({ driving, present }) =>
    Effect.all([driving(runRef(), () => present(runRef())), present(runRef())])
  )
  assert.deepStrictEqual(await Effect.runPromise(Effect.provide(play, driversLayer)), [1, null])
})
