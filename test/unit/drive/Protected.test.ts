// Protected: the protected files that changed in a run, as an event names them.
import { assert, it } from "vitest"
import { Effect, Ref } from "effect"
import { protectedFiles } from "../../../src/drive/Drive.ts"
import { Memory, World } from "../../../src/testing.ts"
import { settings } from "./converge/driven.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const place = {
  run: { ref: runRef(), manifest: { target: { _tag: "Uncommitted" }, worktree: "/repo" } },
  settings: settings({ protect: ["vendor/**"] })
} as const

const changed = (names: ReadonlyArray<string>) =>
  onMachine(
    Effect.gen(function*() {
      const before = yield* protectedFiles(place)
      yield* Ref.set((yield* World).code, "edited")
      return { before, after: yield* protectedFiles(place) }
    }),
    { snapshots: Memory.snapshots({ changed: (before, after) => before === after ? [] : names }) }
  )

it("none is named before one is changed", async () =>
  assert.deepStrictEqual(await changed(["vendor/a"]), { before: [], after: ["vendor/a"] }))

it("as many are named as an event has room for, and the others counted", async () => {
  const names = Array.from({ length: 5000 }, (_, i) => `vendor/${i}.js`)
  const { after } = await changed(names)
  assert.isBelow(JSON.stringify(after).length, 17_000)
  assert.strictEqual(after.at(-1), `and ${5000 - (after.length - 1)} more`)
})
