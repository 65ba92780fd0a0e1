// EvolveBatch: given the lines of a started batch, these slots.
// The one rule: a fact is asserted by what it does to its slot, and by what it leaves alone.
import { assert, describe, it } from "vitest"
import { evolveBatch, isBatchFact, type Slot, startedBatch } from "../../../src/run/Batch.ts"
import { type Event } from "../../../src/run/Event.ts"
import type { Manifest } from "../../../src/run/Manifest.ts"
import {
  at,
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  digest,
  failed,
  finished,
  given,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "./events.ts"

const slots = ({ batch }: Manifest): ReadonlyArray<Slot> => batch._tag === "Started" ? batch.slots : []
const tags = (manifest: Manifest): ReadonlyArray<string> => slots(manifest).map(({ _tag }) => _tag)

describe("a fact of a started batch", () => {
  it("is what befalls its reviewers and how it ends, not what opens or leaves it", () => {
    const end: Event = { _tag: "StepAborted", signal: "SIGINT" }
    const facts = [started(), finished("Clean"), failed(), stopped(), batchCompleted(tree("t1")), batchFailed([1])]
    assert.deepStrictEqual([...facts, created(), batchStarted(), opened("low", 2), end].filter(isBatchFact), facts)
  })

  it("leaves the batch that it is a fact of as it was", () => {
    const event = batchStarted({ size: 2 })
    const batch = startedBatch(event)
    if (batch._tag !== "Started") return assert.fail("not started")
    assert.deepStrictEqual(batch.slots, [
      { _tag: "Queued", slot: 1, attempts: 0, tries: 0 },
      { _tag: "Queued", slot: 2, attempts: 0, tries: 0 }
    ])
    const after = evolveBatch(batch, started({ slot: 2 }), 3, at(3))
    assert.deepStrictEqual(after.slots.map(({ _tag }) => _tag), ["Queued", "Running"])
    assert.deepStrictEqual(batch, startedBatch(event))
  })
})

describe("when a slot is started", () => {
  const lines = [[created()], [batchStarted()], [started({ id: "x" })]]

  it("runs as that attempt since the time of the line", () =>
    assert.deepStrictEqual(slots(given(...lines))[0], {
      _tag: "Running",
      slot: 1,
      attempts: 1,
      tries: 1,
      id: "x",
      since: at(3)
    }))

  it("leaves the other slots queued", () => assert.deepStrictEqual(tags(given(...lines)), ["Running", "Queued"]))

  it("is finished with its verdict, source, findings and the digests of its files", () => {
    const review = { ...digest, hex: "cd" }
    const manifest = given(...lines, [finished("HasIssues", { review, source: "session" })])
    assert.deepStrictEqual(slots(manifest)[0], {
      _tag: "Finished",
      slot: 1,
      attempts: 1,
      tries: 1,
      verdict: "HasIssues",
      reason: "as written",
      source: "session",
      findings: 2,
      files: { log: digest, out: digest, review }
    })
  })

  it("has no digest of a review file that was not kept", () => {
    const [first] = slots(given(...lines, [finished("Clean")]))
    assert.isTrue(first?._tag === "Finished" && first.files.review === null)
  })

  it("is failed with kind, message and the time of the line", () => {
    const fault = failed({ kind: "RateLimited", transient: true, message: "429" })
    assert.deepStrictEqual(slots(given(...lines, [fault]))[0], {
      _tag: "Failed",
      slot: 1,
      attempts: 1,
      tries: 1,
      kind: "RateLimited",
      transient: true,
      message: "429",
      exit: 1,
      since: at(4)
    })
  })

  it("is queued again when it is stopped, with its attempts kept and its tries forgotten", () =>
    assert.deepStrictEqual(slots(given(...lines, [stopped()]))[0], { _tag: "Queued", slot: 1, attempts: 1, tries: 0 }))

  const ends: ReadonlyArray<readonly [string, Event]> = [
    ["another attempt's", finished("HasIssues", { attempt: 2 })],
    ["another batch's", finished("HasIssues", { batch: 2 })],
    ["another level's", failed({ level: "high" })],
    ["a slot's that the batch has not", failed({ slot: 3 })]
  ]
  it.each(ends)("hears nothing of %s end", (_, end) => assert.deepStrictEqual(given(...lines, [end]), given(...lines)))

  it("keeps its first verdict: an attempt ends once", () =>
    assert.deepStrictEqual(
      given(...lines, [finished("HasIssues")], [finished("Clean")], [failed()]),
      given(...lines, [finished("HasIssues")])
    ))
})

describe("when a batch was stopped", () => {
  const running = [batchStarted(), started(), started({ slot: 2 })]
  const lines = [[created()], running, [finished("Clean")], [stopped({ slot: 2 })]]
  const isStopped = ({ batch }: Manifest) => batch._tag === "Started" && batch.stopped

  it("is known as stopped until a reviewer is started again", () => {
    assert.isFalse(isStopped(given(...lines.slice(0, 3))))
    assert.isTrue(isStopped(given(...lines)))
    assert.isFalse(isStopped(given(...lines, [started({ slot: 2, attempt: 2 })])))
  })

  it("takes back the retry that a transient failure waited for", () => {
    const waiting = [[created()], [batchStarted({ size: 1 }), started()], [failed({ transient: true })]]
    const [slot] = slots(given(...waiting, [stopped()]))
    assert.deepStrictEqual(slot, { _tag: "Queued", slot: 1, attempts: 1, tries: 0 })
    assert.deepStrictEqual(slots(given(...waiting, [stopped({ attempt: 2 })])), slots(given(...waiting)))
  })

  it("keeps the verdict of an attempt that had ended before", () =>
    assert.deepInclude(slots(given(...lines, [stopped()]))[0], { _tag: "Finished", verdict: "Clean" }))
})

describe("when a transient failure is tried again", () => {
  it("counts attempts and tries on, and the end of the first attempt says nothing any more", () => {
    const lines = [[created()], [batchStarted(), started()], [failed({ transient: true })], [started({ attempt: 2 })]]
    assert.deepInclude(slots(given(...lines))[0], { _tag: "Running", attempts: 2, tries: 2 })
    assert.deepStrictEqual(given(...lines, [finished("Clean", { attempt: 1 })]), given(...lines))
  })
})

describe("when a batch has failed", () => {
  const lines = [
    [created()],
    [batchStarted({ size: 3 }), ...[1, 2, 3].map((slot) => started({ slot }))],
    [failed({ slot: 1, transient: true }), finished("Clean", { slot: 2 }), failed({ slot: 3 }), batchFailed([1, 3])]
  ]

  it("remembers the line", () => {
    const { batch } = given(...lines)
    assert.isTrue(batch._tag === "Started" && batch.failedAt === 3)
  })

  it("is run again by the first new attempt: every failed slot is queued anew, finished reviews stay", () => {
    const manifest = given(...lines, [started({ slot: 1, attempt: 2 })])
    assert.deepStrictEqual(tags(manifest), ["Running", "Finished", "Queued"])
    assert.deepInclude(slots(manifest)[0], { attempts: 2, tries: 1 })
    assert.deepInclude(slots(manifest)[2], { attempts: 1, tries: 0 })
    assert.isTrue(manifest.batch._tag === "Started" && manifest.batch.failedAt === 0)
  })

  it("is the same batch: its number and the count of batches stay", () => {
    const manifest = given(...lines, [started({ slot: 1, attempt: 2 }), started({ slot: 3, attempt: 2 })])
    assert.deepInclude(manifest, { batch_number: 1, batches: 1 })
    assert.deepStrictEqual(tags(manifest), ["Running", "Finished", "Running"])
  })
})

describe("when a batch is complete", () => {
  it("keeps the identity it was first seen complete with", () => {
    const { batch } = given([created()], [...reviewed("Clean"), batchCompleted(tree("t2"))])
    assert.isTrue(batch._tag === "Started" && batch.completed !== null)
    if (batch._tag === "Started") assert.deepStrictEqual([batch.identity, batch.completed], [tree("t1"), tree("t2")])
  })
})
