// What watching tells where nothing can be redrawn: a line for each change, and one for every end.
import { assert, describe, it } from "vitest"
import { initial } from "../../../src/run/Manifest.ts"
import type { Row } from "../../../src/review/Progress.ts"
import { type BatchEnd, changeJson, changeText, endingJson, endingText, workJson } from "../../../src/read/Watch.ts"
import { runName } from "../../../src/run/Document.ts"
import { created, runRef } from "../run/events.ts"

const manifest = initial(created())
const at = "2030-01-01T00:00:02.000Z"
const row: Row = { level: "low", slot: 2, state: "running", elapsed: 61_000, silentFor: 0, activity: "reads a.ts" }

it("a change is a line with its time, or a document", () => {
  assert.match(changeText(row, manifest, at), /^2030-01-01T00:00:02\.000Z {2}.*running.*reads a\.ts\n$/)
  assert.deepStrictEqual(JSON.parse(changeJson(row, manifest, at)), {
    schema: 1,
    at,
    run: runName(runRef()),
    level: "low",
    batch: 1,
    slot: 2,
    state: "running",
    elapsed: 61_000,
    silentFor: 0,
    activity: "reads a.ts"
  })
})

it("a change of a driven run that is none of a reviewer is a document too", () => {
  const round = { number: 1, open: true, findings: 2 }
  const work = [{ name: "test 1", state: "running", elapsed: 5, activity: "npm test", silentFor: null }] as const
  const view = {
    place: { _tag: "OnLadder", floor: "low", level: "low", ceiling: null, batch: 1, round },
    used: { rounds: 0, time: 0, tokens: 0 },
    limits: { maxRounds: null, maxTime: null, maxTokens: null },
    byAgents: 0,
    work
  } as const
  const document = { schema: 1, at, run: runName(runRef()), level: "low", batch: 1, round, work }
  assert.deepStrictEqual(JSON.parse(workJson(manifest, at, {}, view)), document)
  assert.deepInclude(JSON.parse(changeJson(row, manifest, at, {}, view)), { slot: 2, round, work })
})

it("the end of a driver is told by its header, or by what to do where it has none", () => {
  assert.strictEqual(
    endingText({ _tag: "DriverEnded", outcome: "DoneFixedPoint" }, manifest),
    "the driver ended in DoneFixedPoint\n"
  )
  assert.match(
    endingText({ _tag: "DriverEnded", outcome: null }, manifest),
    /^the driver is gone .* converge goes on\n$/
  )
})

describe("the end of a batch", () => {
  const ends: {
    readonly [T in Exclude<BatchEnd["_tag"], "DriverEnded">]: ReadonlyArray<
      readonly [Extract<BatchEnd, { readonly _tag: T }>, string]
    >
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
