// Move: one thing that can happen to a run, as the lines that the program would write for it.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import type { Manifest } from "../../../../src/run/Manifest.ts"
import { eventsOf, type Move, move } from "../../../../src/testing/arbitraries/History.ts"
import { batchStarted, created, failed, finished, given, opened, reviewed, started, stopped } from "../../run/events.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

const identity = { _tag: "Known", head: "h", tree: "t", base: null } as const
const clean = { _tag: "Finish", pick: 0, clean: true, identity } as const
const fails = (kind: "Quota" | "RateLimited"): Move => ({ _tag: "Fail", pick: 0, kind, identity })
const target = { _tag: "ChangeTarget", size: 1, jobs: 1, identity } as const

const tags = (manifest: Manifest, one: Move): ReadonlyArray<string> => eventsOf(manifest, one).map(({ _tag }) => _tag)

const fresh = given([created()])
const running = given([created()], [batchStarted({ size: 2 }), started()])
const last = given([created()], [batchStarted({ size: 1 }), started()])
const done = given([created()], reviewed("Clean"))

describe("a move", () => {
  it("is any that there is, and shrinks towards the start of a batch", () => {
    assert.sameMembers(tagsOf(drawn(move)), [
      "StartBatch",
      "ChangeTarget",
      "StartDue",
      "Finish",
      "Fail",
      "Stop",
      "MarkRun",
      "Aside"
    ])
    assert.strictEqual(least(move)._tag, "StartBatch")
  })

  const start = { _tag: "StartBatch", size: 3, jobs: 2, identity } as const
  const impossible: ReadonlyArray<readonly [string, Manifest, Move]> = [
    ["starting a batch that was started", running, start],
    ["finishing where nobody runs", fresh, clean],
    ["failing where all have finished", done, fails("Quota")],
    ["changing the target under a running reviewer", running, target],
    ["stopping where nothing is under way", fresh, { _tag: "Stop", cause: "Stop" }],
    ["starting what is due where nothing is", done, { _tag: "StartDue", jobs: 3 }]
  ]
  it.each(impossible)(
    "that cannot happen amounts to nothing: %s",
    (_, manifest, one) => assert.deepStrictEqual(eventsOf(manifest, one), [])
  )

  it("starts a batch with no more reviewers than jobs", () =>
    assert.deepStrictEqual(tags(fresh, start), ["BatchStarted", "ReviewStarted", "ReviewStarted"]))

  it("starts what is due: the queue, or the failed slots of a failed batch", () => {
    assert.deepInclude(eventsOf(running, { _tag: "StartDue", jobs: 3 })[0], {
      _tag: "ReviewStarted",
      slot: 2,
      attempt: 1
    })
    const over: Event = { _tag: "BatchFailed", level: "low", batch: 1, slots: [1] }
    const batch = given([created()], [batchStarted({ size: 1 }), started()], [failed(), over])
    assert.deepInclude(eventsOf(batch, { _tag: "StartDue", jobs: 3 })[0], { slot: 1, attempt: 2 })
  })

  it("settles the batch with the last end", () => {
    assert.deepStrictEqual(tags(running, clean), ["ReviewFinished"])
    assert.deepStrictEqual(tags(last, clean), ["ReviewFinished", "BatchCompleted"])
    assert.deepStrictEqual(tags(last, fails("Quota")), ["ReviewFailed", "BatchFailed"])
    assert.deepStrictEqual(tags(last, fails("RateLimited")), ["ReviewFailed"])
  })

  it("stops what is under way, else the slot whose turn is next, once", () => {
    assert.deepStrictEqual(tags(running, { _tag: "Stop", cause: "Stop" }), ["ReviewStopped"])
    const queued = given([created()], [batchStarted({ size: 2 })])
    assert.deepInclude(eventsOf(queued, { _tag: "Stop", cause: "Stop" })[0], { slot: 1, attempt: 1 })
    assert.deepStrictEqual(tags(given([created()], [batchStarted()], [stopped()]), { _tag: "Stop", cause: "Stop" }), [])
  })

  it("leaves the batch with a mark, and ends its reviewers first", () =>
    assert.deepStrictEqual(
      tags(running, { _tag: "MarkRun", mark: { _tag: "AdvanceLevel" }, ceiling: "xhigh" }),
      ["ReviewStopped", "BatchOpened"]
    ))

  it("reviews another target in a batch of its own", () =>
    assert.deepStrictEqual(tags(done, target), ["BatchOpened", "BatchStarted", "ReviewStarted"]))

  it("numbers the next batch behind all that were opened at the level", () => {
    const fourth = { batch: 4 }
    const again = given(
      [created()],
      [opened("low", 4)],
      [batchStarted({ ...fourth, size: 1 }), started(fourth)],
      [finished("Clean", fourth)]
    )
    assert.deepInclude(eventsOf(again, target)[0], { _tag: "BatchOpened", batch: 5, cause: "TargetChanged" })
  })

  it("tells of what happens beside the run as it is", () => {
    const event: Event = { _tag: "StepAborted", signal: "SIGINT" }
    assert.deepStrictEqual(eventsOf(fresh, { _tag: "Aside", event }), [event])
  })
})
