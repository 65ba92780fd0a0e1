// Kernel: turns that need the user, and the prompts of agents.
import { assert, describe, it } from "vitest"
import { Effect, Layer, Ref } from "effect"
import { SnapshotFailed, Snapshots } from "../../../src/code/Snapshots.ts"
import { protectedFiles, record, restore } from "../../../src/drive/Drive.ts"
import { answered } from "../../../src/drive/Kernel.ts"
import { Memory, World } from "../../../src/testing.ts"
import { settings } from "./converge/driven.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { commitDriver } from "../../../src/agent/TaskLog.ts"
import { drivingRun } from "./converge/drivings.ts"
import { roundStarted } from "./converge/streams.ts"

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

it("no file is listed before one changed", async () =>
  assert.deepStrictEqual(await changed(["vendor/a"]), { before: [], after: ["vendor/a"] }))

it("as many files are listed as fit in an event, and the others are counted", async () => {
  const names = Array.from({ length: 5000 }, (_, i) => `vendor/${i}.js`)
  const { after } = await changed(names)
  assert.isBelow(JSON.stringify(after).length, 17_000)
  assert.strictEqual(after.at(-1), `and ${5000 - (after.length - 1)} more`)
})

it("a round is restored without force: changes of the user stay", async () => {
  const asked: Array<unknown> = []
  const snapshots = Layer.mock(Snapshots)({
    restore: (_run, _worktree, to, how) => {
      asked.push(to, how)
      return Effect.fail(new SnapshotFailed({ reason: { _tag: "NoneOfRun", run: "r" } }))
    }
  })
  await onMachine(
    Effect.gen(function*() {
      return yield* Effect.flip(restore(yield* drivingRun(), 1))
    }),
    { snapshots }
  )
  assert.deepStrictEqual(asked, [{ _tag: "Round", round: 1 }, { force: false, partial: false }])
})

it("an agent that ends after the run was stopped does not fail the call: the stop is decided on", async () => {
  const turns = await onMachine(Effect.gen(function*() {
    const driving = yield* drivingRun()
    const stopped = yield* record(driving, [{ _tag: "StopAsked" }])
    const result = {
      _tag: "Blocked",
      agent: 1,
      ending: { _tag: "Crashed", message: "killed", exit: 137 },
      remedy: ""
    } as const
    return [driving, stopped].map((drive) => answered(drive, result)._tag)
  }))
  assert.deepStrictEqual(turns, ["Over", "On"])
})

describe("a driven run", () => {
  it("records nothing if another process was first, and reads what that process wrote", async () => {
    const { rounds, stopAsked } = await onMachine(Effect.gen(function*() {
      const driving = yield* drivingRun()
      yield* commitDriver(driving.driver, [{ _tag: "StopAsked" }])
      return (yield* record(driving, [roundStarted()])).driver.state
    }))
    assert.isTrue(stopAsked)
    assert.lengthOf(rounds, 0)
  })
})
