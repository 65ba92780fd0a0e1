// TakenIn: what has ended by itself, as it counts for a mark and for stop.
import { assert, describe, it } from "vitest"
import { over, type Says, type Slot, takenIn } from "../../../../src/testing/model/Model.ts"
import { clean, run, runs, world } from "./someRuns.ts"

describe("a reviewer that has ended", () => {
  const ended = (says: Says, tries = 1): Slot => {
    const slot = runs(says, 0, tries)
    return slot.is === "running" ? over(slot) : slot
  }

  it.each<readonly [Says, Slot["is"]]>([
    ["clean", "clean"],
    ["issues", "issues"],
    ["no review", "failed"],
    ["failure", "failed"],
    ["silence", "failed"],
    ["transient failure", "retrying"]
  ])("that says %s makes its slot %s", (says, is) => assert.strictEqual(ended(says).is, is))

  it("is tried again once", () => assert.strictEqual(ended("transient failure", 2).is, "failed"))
})

describe("a run", () => {
  it("takes in those that have ended by now, and no other", () => {
    const taken = takenIn(world(run([runs("issues", 5), runs("clean", 6)]), { now: 5 }))
    assert.deepStrictEqual(taken?.slots?.map(({ is }) => is), ["issues", "running"])
    assert.isNull(taken?.ended)
  })

  it("is complete on the code of now where the last one has ended", () =>
    assert.deepInclude(takenIn(world(run([clean, runs("clean", 5)]), { now: 9, code: "code-2" })), {
      ended: "code-2",
      reported: false
    }))

  it("keeps the code that it was complete on before", () =>
    assert.strictEqual(takenIn(world(run([clean], { ended: "code-1" }), { code: "code-2" }))?.ended, "code-1"))

  it("has failed where one of them has", () =>
    assert.deepInclude(takenIn(world(run([clean, runs("failure", 5)]), { now: 9 })), { ended: null, reported: true }))

  it("has nothing to take in where no batch was started", () => {
    assert.isNull(takenIn(world(null)))
    assert.deepStrictEqual(takenIn(world(run(null))), run(null))
  })
})
