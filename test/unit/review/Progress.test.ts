// Progress: where nobody watches nothing is gathered, shown or in the way.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { runRef } from "../run/events.ts"
import { Progress, silent, type Watcher } from "../../../src/review/Progress.ts"

describe("progress", () => {
  it("is watched by nobody unless somebody is provided", async () =>
    assert.strictEqual(await Effect.runPromise(Progress), silent))

  it("costs nothing where nobody watches, and can be shown and cleared all the same", async () => {
    assert.isFalse(silent.on)
    const review = { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1 } as const
    const told = silent.show([]).pipe(Effect.andThen(silent.clear), Effect.andThen(silent.tail(review)))
    const tail = await Effect.runPromise(told)
    assert.strictEqual(tail, "")
  })

  it("is shown to who is provided", async () => {
    const shown: Array<number> = []
    const watcher: Watcher = { ...silent, on: true, show: (rows) => Effect.sync(() => void shown.push(rows.length)) }
    await Effect.runPromise(Effect.provideService(Effect.flatMap(Progress, ({ show }) => show([])), Progress, watcher))
    assert.deepStrictEqual(shown, [0])
  })
})
