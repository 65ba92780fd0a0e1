// Manifest: the state after these lines.
// What an event changes is asserted here; that it changes nothing else is proven in property/Manifest.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { fold, initial, nextBatch, replay } from "../../../src/run/Manifest.ts"
import { BranchName } from "../../../src/run/Target.ts"
import type { LoggedEvent } from "../../../src/log/StreamKind.ts"
import { at, batchFailed, batchStarted, created, finished, given, log, opened, reviewed, tree } from "./events.ts"

describe("when a run was just created", () => {
  it("has the contract's field names and values", () => {
    assert.deepInclude(given([created({ startLevel: "medium", batchSize: 5 })]), {
      run_id: "20300101T000001Z-000000001-p1",
      repo_id: "repo-noremote",
      mode: "uncommitted",
      target_key: "uncommitted",
      start_level: "medium",
      current_level: "medium",
      batch_size: 5,
      batch_number: 1,
      level_history: [],
      created_at: "2030-01-01T00:00:01.000Z"
    })
  })

  it("has batch 1 at the floor as its only batch, not started", () => {
    const manifest = given([created({ startLevel: "medium" })])
    assert.deepStrictEqual(manifest.batch, { _tag: "NotStarted" })
    assert.deepStrictEqual(manifest.opened, { low: 0, medium: 1, high: 0, xhigh: 0 })
    assert.strictEqual(nextBatch(manifest, "medium"), 2)
    assert.strictEqual(nextBatch(manifest, "low"), 1)
    assert.strictEqual(manifest.batches, 0)
    assert.isNull(manifest.fixed_point)
    assert.strictEqual(manifest.stopped_at, 0)
  })

  it("takes mode and key from the target", () => {
    const target = { _tag: "Base", branch: BranchName.make("feature/x") } as const
    assert.deepInclude(given([created({ target })]), { mode: "base", target_key: "base/feature/x", target })
  })

  it("does not exist without its creation in the first line", () => {
    assert.isNull(fold([]))
    assert.isNull(fold(log([batchStarted()])))
    assert.isNull(fold(log([batchStarted()], [created()])))
  })

  it("is created once: a second creation changes nothing", () =>
    assert.deepStrictEqual(given([created()], [created({ runId: "other", startLevel: "high" })]), initial(created())))
})

describe("when a batch is started", () => {
  const manifest = given([created()], [batchStarted({ size: 2, base: BranchName.make("main"), argv: ["review"] })])

  it("queues its slots, numbered from 1, and keeps its size, base, arguments and identity", () =>
    assert.deepStrictEqual(manifest.batch, {
      _tag: "Started",
      size: 2,
      base: BranchName.make("main"),
      argv: ["review"],
      identity: tree("t1"),
      slots: [
        { _tag: "Queued", slot: 1, attempts: 0, tries: 0 },
        { _tag: "Queued", slot: 2, attempts: 0, tries: 0 }
      ],
      completed: null,
      failedAt: 0,
      stopped: false
    }))
})

describe("when the outcome of a level is recorded", () => {
  it("is added to the history with level, batch and time, and changes nothing else", () => {
    const record = { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, ceiling: "high" } as const
    const before = given([created()], reviewed("HasIssues"))
    const manifest = given([created()], reviewed("HasIssues"), [
      { ...record, outcome: { _tag: "Addressed", count: 1 } },
      { ...record, outcome: { _tag: "Clean" } }
    ])
    assert.deepStrictEqual(manifest, {
      ...before,
      level_history: [
        { level: "low", batch_number: 1, outcome: { _tag: "Addressed", count: 1 }, at: at(3) },
        { level: "low", batch_number: 1, outcome: { _tag: "Clean" }, at: at(3) }
      ]
    })
  })
})

describe("when a batch is opened", () => {
  const manifest = given([created()], reviewed("Clean"), [opened("medium", 1)], [opened("low", 2)])

  it("is current and not started, whatever the batch before it held", () => {
    assert.deepInclude(manifest, { current_level: "low", batch_number: 2, batches: 1 })
    assert.deepStrictEqual(manifest.batch, { _tag: "NotStarted" })
  })

  it("forgets the fixed point, and ignores late events of the old batch", () => {
    const reached: Event = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }
    const at1 = given([created()], reviewed("Clean"), [reached])
    assert.deepStrictEqual(at1.fixed_point, { level: "low", batch: 1, ceiling: "low" })
    const after = given([created()], reviewed("Clean"), [reached], [opened("low", 2, { cause: "TargetChanged" })])
    assert.isNull(after.fixed_point)
    const late = { seq: 5, at: at(5), events: [finished("HasIssues"), batchFailed([1])] }
    assert.deepStrictEqual(replay(after, [late]), after)
  })
})

describe("events that are only recorded", () => {
  const asides: ReadonlyArray<LoggedEvent<Event>> = [
    { _tag: "AddressFailed", level: "low", batch: 1, details: { text: "test_X failed" } },
    { _tag: "StepAborted", signal: "SIGTERM" },
    { _tag: "TailRepaired", offset: 10, bytes: 3, kept: "torn/10-01234567" }
  ]
  it.each(asides)("$_tag changes nothing", (aside) => {
    const lines = [[created()], reviewed("HasIssues", "Clean")]
    assert.deepStrictEqual(given(...lines, [aside]), given(...lines))
  })
})
