// What watching tells where nothing can be redrawn: a line for each change, and one for every end.
import { assert, describe, it } from "vitest"
import { initial } from "../../../src/core/run/Manifest.ts"
import type { Row } from "../../../src/core/loop/Row.ts"
import type { BatchEnd } from "../../../src/upkeep/Watch.ts"
import { changeJson, changeText, endingJson, endingText } from "../../../src/upkeep/WatchText.ts"
import { created } from "../core/run/events.ts"

const manifest = initial(created())
const at = "2030-01-01T00:00:02.000Z"
const row: Row = { level: "low", slot: 2, state: "running", elapsed: 61_000, silentFor: 0, activity: "reads a.ts" }

it("a change is a line with its time, or a document", () => {
  assert.match(changeText(row, manifest, at), /^2030-01-01T00:00:02\.000Z {2}.*running.*reads a\.ts\n$/)
  assert.deepStrictEqual(JSON.parse(changeJson(row, manifest, at)), {
    schema: 1,
    at,
    run: created().runId,
    level: "low",
    batch: 1,
    slot: 2,
    state: "running",
    elapsed: 61_000,
    silentFor: 0,
    activity: "reads a.ts"
  })
})

describe("the end of a batch", () => {
  const ends: {
    readonly [T in BatchEnd["_tag"]]: ReadonlyArray<readonly [Extract<BatchEnd, { readonly _tag: T }>, string]>
  } = {
    NotStarted: [[{ _tag: "NotStarted" }, "has not started"]],
    Left: [[{ _tag: "Left" }, "is over: the run has gone on"]],
    Stopped: [[{ _tag: "Stopped" }, "was stopped; the next step goes on with it"]],
    Unrecorded: [[{ _tag: "Unrecorded" }, "has ended; the next step takes it in"]],
    Failed: [[{ _tag: "Failed", slots: [1, 3] }, "failed: slot 1, 3; the next step runs only what failed"]],
    Complete: [
      [{ _tag: "Complete", withIssues: 0, size: 3 }, "is complete: 3 clean reviews"],
      [{ _tag: "Complete", withIssues: 1, size: 3 }, "is complete: 1 of 3 reviews with issues"]
    ]
  }
  it.each(Object.values(ends).flat())("%o", (end, words) => {
    assert.strictEqual(endingText(end, manifest), `low batch 1 ${words}\n`)
    assert.deepInclude(JSON.parse(endingJson(end, manifest, at)), { schema: 1, end: end._tag, text: words, batch: 1 })
  })
})
