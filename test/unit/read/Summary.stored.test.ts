// Summary.stored: where runs stand whose logs lie on a disk: with real hashes, anchors, reviewers and damage.
// The one rule: each standing is reached by the lines that a run would hold then.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { batchFailed, batchStarted, failed, finished, started, stopped } from "../run/events.ts"
import { listedOn } from "./audit/listedRuns.ts"
import { bench, opened, tree } from "./audit/writtenRuns.ts"

const b = bench()
const listed = listedOn(b)

describe("where a run stands", () => {
  const both: ReadonlyArray<Event> = [started(), started({ slot: 2 })]
  const done = (identity = tree("t1")): Event => ({ _tag: "BatchCompleted", level: "low", batch: 1, identity })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<Event>>, string]> = [
    ["NoReview", [], "no review yet"],
    ["NextStep", [[batchStarted(), ...both]], "2 reviews at low ended and are not recorded"],
    ["NextStep", [[batchStarted(), started()], [finished("Clean")]], "the next step reviews at low"],
    ["Stopped", [[batchStarted(), ...both], [stopped(), stopped({ slot: 2 })]], "the reviews at low were stopped"],
    [
      "ReviewsFailed",
      [[batchStarted(), ...both], [failed(), finished("Clean", { slot: 2 }), batchFailed([1])]],
      "1 review at low failed: 401"
    ],
    [
      "AddressBatch",
      [[batchStarted(), ...both], [finished("Clean"), finished("HasIssues", { slot: 2 }), done()]],
      "1 of 2 reviews at low found issues"
    ],
    [
      "TestsFailedTriage",
      [
        [batchStarted(), ...both],
        [finished("Clean"), finished("HasIssues", { slot: 2 }), done()],
        [{ _tag: "AddressFailed", level: "low", batch: 1, details: { text: "no" } }],
        [{ _tag: "StepAborted", signal: "SIGTERM" }]
      ],
      "tests fail"
    ],
    [
      "Retrospective",
      [[batchStarted(), ...both], [finished("Clean"), finished("Clean", { slot: 2 }), done()]],
      "low is clean and waits for its retrospective"
    ],
    [
      "NextStep",
      [[batchStarted(), ...both], [finished("Clean"), finished("Clean", { slot: 2 }), done(tree("t2"))]],
      "the code changed during the reviews at low"
    ],
    [
      "TooNew",
      [[JSON.parse(`{"_tag":"FromTheFuture"}`)]],
      "needs a newer version: line 2 holds an unknown event (FromTheFuture)"
    ]
  ]
  it.each(cases)("%s", async (kind, lines, text) => {
    b.write([[b.born()], ...lines])
    const [run] = await listed()
    assert.deepEqual([run?.reason, run?.text], [kind, text])
  })

  it("TooNew: what stands before the unknown event is told", async () => {
    b.write([...b.climb(), [JSON.parse(`{"_tag":"FromTheFuture"}`)], [opened("low", 2, { cause: "Restarted" })]])
    const [run] = await listed()
    assert.deepInclude(run, { floor: "low", level: "medium", batches: 2, reviews: 4, milliseconds: 10_000 })
  })

  it("Running: as many reviewers as live", async () => {
    b.write([[b.born()], [batchStarted(), ...both]])
    const batch = b.file("levels/level-low/batch-1")
    fs.mkdirSync(batch, { recursive: true })
    fs.writeFileSync(path.join(batch, "low-2.1.run"), `attempt id ${process.pid} - -\n`)
    const [run] = await listed()
    assert.deepEqual([run?.reason, run?.text], ["Reviewers", "1 of 2 reviewers at low"])
  })

  it("FixedPoint", async () => {
    b.write(b.climb())
    const [run] = await listed()
    assert.deepEqual([run?.reason, run?.text], ["FixedPoint", "reviewed clean from low to medium"])
  })

  it("Damaged: what stands before the damage is told", async () => {
    b.write(b.climb())
    const log = b.file("manifest.jsonl")
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace('"FixedPointReached"', '"FixedPointReachec"'))
    const [run] = await listed()
    assert.deepEqual([run?.reason, run?.text], ["Damaged", "its log is damaged at line 9: bad hash"])
    assert.deepInclude({ ...run }, { level: "medium", reviews: 4, batches: 2 })
  })

  it("Rewound", async () => {
    b.write(b.climb())
    const log = b.file("manifest.jsonl")
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").split(/(?<=\n)/).slice(0, -1).join(""))
    assert.strictEqual((await listed())[0]?.text, "its log was rolled back")
  })

  it("Empty: a run that was never begun", async () => {
    fs.mkdirSync(b.dir(), { recursive: true })
    assert.deepEqual((await listed()).map(({ text }) => text), ["no log"])
    b.write([], { anchored: false })
    assert.deepEqual((await listed()).map(({ text }) => text), ["no line in its log"])
  })

  it("Unreadable", async () => {
    fs.mkdirSync(b.file("manifest.jsonl"), { recursive: true })
    assert.strictEqual((await listed())[0]?.reason, "Unavailable")
  })
})
