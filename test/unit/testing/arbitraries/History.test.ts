// History: logs as the program could have written them, with the manifest they fold to.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { assess } from "../../../../src/run/Batch.ts"
import { fold } from "../../../../src/run/Manifest.ts"
import { history, manifest, play } from "../../../../src/testing/arbitraries/History.ts"
import { created } from "../../run/events.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

const identity = { _tag: "Known", head: "h", tree: "t", base: null } as const
const start = { _tag: "StartBatch", size: 1, jobs: 1, identity } as const

describe("play", () => {
  it("writes one line a move, one second after the line before it", () => {
    const { commits } = play(created(), [start, { _tag: "Finish", pick: 0, clean: true, identity }])
    assert.deepStrictEqual(commits.map(({ at, events, seq }) => [seq, at, events.map(({ _tag }) => _tag)]), [
      [1, "2030-01-01T00:00:01.000Z", ["RunCreated"]],
      [2, "2030-01-01T00:00:02.000Z", ["BatchStarted", "ReviewStarted"]],
      [3, "2030-01-01T00:00:03.000Z", ["ReviewFinished", "BatchCompleted"]]
    ])
  })

  it("leaves no line of a move that cannot happen", () =>
    assert.lengthOf(play(created(), [{ _tag: "Finish", pick: 0, clean: true, identity }, start, start]).commits, 2))
})

describe("a history", () => {
  it("folds to its manifest", () => {
    for (const { commits, manifest } of drawn(history(), 100)) assert.deepStrictEqual(fold(commits), manifest)
  })

  it("comes to every level, and a batch to every way it can stand", () => {
    const all = drawn(manifest)
    assert.sameMembers([...new Set(all.map(({ current_level }) => current_level))], ["low", "medium", "high", "xhigh"])
    assert.sameMembers(tagsOf(all.map(({ batch }) => assess(batch, 1))), [
      "NotStarted",
      "Interrupted",
      "Running",
      "Complete",
      "Failed"
    ])
  })

  it("takes the creation and the moves that are asked for, and shrinks towards a creation alone", () => {
    const moved = history({ created: { startLevel: fc.constant("high") }, moves: fc.constant([start]) })
    for (const { commits, manifest } of drawn(moved, 20)) {
      assert.lengthOf(commits, 2)
      assert.strictEqual(manifest.current_level, "high")
    }
    assert.lengthOf(least(history()).commits, 1)
  })
})
