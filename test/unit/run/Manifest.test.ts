// Manifest: given these lines, this state.
// The one rule: the state after a fact is asserted where it differs, and that nothing else differs.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { fold, initial, nextBatch, replay } from "../../../src/run/Manifest.ts"
import { BranchName } from "../../../src/run/Target.ts"
import type { LoggedEvent } from "../../../src/log/StreamKind.ts"
import {
  at,
  batchFailed,
  batchStarted,
  created,
  finished,
  given,
  log,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "./events.ts"

describe("when a run has just been created", () => {
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

  it("has batch 1 at the floor as its current batch, not started, and no other", () => {
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

  it("is no run without the fact of its creation in the first line", () => {
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

  it("counts it and records its size as the run's", () => {
    assert.strictEqual(manifest.batches, 1)
    assert.strictEqual(manifest.batch_size, 2)
  })

  it("is not started by a fact about another batch", () => {
    const newRun = given([created()])
    for (const where of [{ batch: 2 }, { level: "medium" }] as const) {
      assert.deepStrictEqual(given([created()], [batchStarted(where)]), newRun)
    }
  })
})

describe("when `stop`, a person or `--fresh` stopped reviewers", () => {
  it("remembers the line", () => {
    const lines = [[created()], [batchStarted(), started()]]
    assert.strictEqual(given(...lines, [stopped({ cause: "Stop" })]).stopped_at, 3)
    assert.strictEqual(given(...lines, [stopped({ cause: "Interrupt" })]).stopped_at, 3)
    assert.strictEqual(given(...lines, [stopped({ cause: "Fresh" })]).stopped_at, 3)
  })

  it.each(["Mark", "TargetChanged"] as const)(
    "but not for a batch that was left (%s)",
    (cause) => assert.strictEqual(given([created()], [batchStarted(), started()], [stopped({ cause })]).stopped_at, 0)
  )
})

describe("when the outcome of a level is recorded", () => {
  it("adds to the history with level, batch and time, and moves nothing", () => {
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

  it("keeps the level and the batch of the record", () => {
    const record = { _tag: "LevelOutcomeRecorded", level: "high", batch: 4, ceiling: "xhigh" } as const
    const manifest = given([created()], [{ ...record, outcome: { _tag: "Clean" } }])
    assert.deepInclude(manifest.level_history[0], { level: "high", batch_number: 4 })
  })

  it("does not keep the ceiling it was judged by", () => {
    const record = { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, outcome: { _tag: "Clean" } } as const
    const judgedBy = (ceiling: "low" | "xhigh") => given([created()], [{ ...record, ceiling }])
    assert.deepStrictEqual(judgedBy("low"), judgedBy("xhigh"))
  })
})

describe("when a batch is opened", () => {
  const manifest = given([created()], reviewed("Clean"), [opened("medium", 1)], [opened("low", 2)])

  it("is current and not started, whatever the batch before it held", () => {
    assert.deepInclude(manifest, { current_level: "low", batch_number: 2, batches: 1 })
    assert.deepStrictEqual(manifest.batch, { _tag: "NotStarted" })
  })

  it("is used up at its level: the next one there has the next number", () => {
    assert.deepStrictEqual(manifest.opened, { low: 2, medium: 1, high: 0, xhigh: 0 })
    assert.deepStrictEqual(
      (["low", "medium", "high", "xhigh"] as const).map((level) => nextBatch(manifest, level)),
      [3, 2, 1, 1]
    )
  })

  it("is never numbered as one before it, not even after a number that goes back", () =>
    assert.strictEqual(nextBatch(given([created()], [opened("low", 5)], [opened("low", 2)]), "low"), 6))

  it("forgets the fixed point, and hears nothing more of the old batch", () => {
    const reached: Event = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }
    const at1 = given([created()], reviewed("Clean"), [reached])
    assert.deepStrictEqual(at1.fixed_point, { level: "low", batch: 1, ceiling: "low" })
    const after = given([created()], reviewed("Clean"), [reached], [opened("low", 2, { cause: "TargetChanged" })])
    assert.isNull(after.fixed_point)
    const late = { seq: 5, at: at(5), events: [finished("HasIssues"), batchFailed([1])] }
    assert.deepStrictEqual(replay(after, [late]), after)
  })
})

describe("facts that are kept for the record alone", () => {
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
