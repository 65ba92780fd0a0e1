// StrictDecide: what a strict run does next, case by case; whole runs are driven by the program's own rules.
import { assert, describe, it } from "vitest"
import { noneWaived } from "../../../src/run/Cover.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import { decideStrict, dependsOnPresent, waitOf } from "../../../src/run/StrictDecide.ts"
import {
  batchFailed,
  batchStarted,
  created,
  failed,
  finished,
  given,
  reviewed,
  started,
  stopped,
  tree
} from "./events.ts"
import { crash, edit, finish, mark, newWorld, type Rungs, step, type World } from "./strictWorld.ts"

const medium: Rungs = { floor: "low", ceiling: "medium" }

const done = [...reviewed("Clean"), { _tag: "BatchCompleted", level: "low", batch: 1, identity: tree("t1") } as const]
const one = batchStarted({ size: 1 })

const manifestOf = (...lines: ReadonlyArray<ReadonlyArray<Event>>) => given([created({ strict: true })], ...lines)

const decided = (lines: ReadonlyArray<ReadonlyArray<Event>>, identity: Identity | null = tree("t1"), others = {}) => {
  const manifest = manifestOf(...lines)
  return decideStrict(manifest, manifest.strict ?? assert.fail("not strict"), {
    ceiling: "low",
    retries: 0,
    openedAt: 100,
    identity,
    maxBatches: null,
    paths: { findings: "f", transcripts: "t", logs: ["l1", "l2", "l3"], history: "h" },
    waived: noneWaived,
    ...others
  })
}

const stale = (level: "low" | "medium", key: string) => ({ _tag: "RunReviews", cause: "stale", level, key } as const)

describe("a strict run", () => {
  it("starts its first batch, and waits for its reviewers", () => {
    const first = { _tag: "RunReviews", cause: "not-started", key: "low/batch-1/not-started" } as const
    assert.deepStrictEqual(decided([]), first)
    assert.deepStrictEqual(decided([[one, started()]]), { _tag: "AwaitReviews", key: "low/batch-1" })
  })

  it("hands off issues whatever the present code is, and says how they are answered", () => {
    const issues = [
      ...reviewed("HasIssues"),
      { _tag: "BatchCompleted", level: "low", batch: 1, identity: tree("t1") } as const
    ]
    const decision = decided([issues], null)
    if (decision._tag !== "Halt" || decision.outcome._tag !== "HandoffAgent") return assert.fail(decision._tag)
    assert.strictEqual(decision.outcome.action, "AddressBatch")
    const below = decided([issues], tree("t1"), { ceiling: "medium" })
    assert.deepInclude(below._tag === "Halt" ? below.outcome : {}, { action: "AddressBatch" })
    assert.match(decision.outcome.prompt, /^Verify and address 1 .*\n.*\n.*\nAnswer with: --batch low\/1@20300101T\S+$/)
  })

  it("asks for a retrospective below the ceiling, and ends at it", () => {
    const below = decided([done], tree("t1"), { ceiling: "medium" })
    assert.include(below._tag === "Halt" && below.outcome._tag === "HandoffAgent" ? below.outcome.prompt : "", "low/1@")
    assert.deepStrictEqual(decided([done]), { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } })
  })

  it("opens a batch at the lowest level that reviewed other code", () =>
    assert.deepStrictEqual(decided([done], tree("t2")), stale("low", "low/target-changed")))

  it("opens a batch if the code changed under review and changed back", () => {
    const completed = { ...tree("t1"), stamps: "after" }
    const disturbed: ReadonlyArray<Event> = [
      batchStarted({ size: 1, identity: { ...tree("t1"), stamps: "before" } }),
      started(),
      finished("Clean"),
      { _tag: "BatchCompleted", level: "low", batch: 1, identity: completed }
    ]
    assert.deepStrictEqual(decided([disturbed], completed), stale("low", "low/target-changed"))
  })

  it("runs failed or stopped slots again only while the batch is about the present code", () => {
    const broken = [[one, started(), failed(), batchFailed([1])]]
    assert.deepInclude(decided(broken), { cause: "failed-slots", key: "low/batch-1/failed-slots" })
    assert.deepStrictEqual(decided(broken, tree("t2")), stale("low", "low/target-changed"))
    assert.deepInclude(decided([[one, started(), stopped()]]), { cause: "stopped-slots" })
    assert.deepStrictEqual(decided(broken, tree("t1"), { lost: true }), stale("low", "low/stale"))
    const fresh = decided(broken, tree("t1"), { openedAt: 1 })
    assert.deepInclude(fresh._tag === "Halt" ? fresh.outcome : {}, { _tag: "BinaryError" })
  })

  it("ends if it was stopped meanwhile, if its limit is reached, and if the code cannot be read", () => {
    assert.deepStrictEqual(decided([[one, started(), stopped()]], null, { openedAt: 1 }), {
      _tag: "Halt",
      outcome: { _tag: "DoneAborted" }
    })
    assert.deepStrictEqual(decided([done], tree("t2"), { maxBatches: 1 }), {
      _tag: "Halt",
      outcome: { _tag: "StuckCapReached", action: "RunReviews", key: "low/target-changed/max-batches" }
    })
    const unknown = (why: string, message: string) =>
      assert.deepStrictEqual(decided([done], { _tag: "Unknown", why }), {
        _tag: "Halt",
        outcome: { _tag: "BinaryError", message }
      })
    unknown("broken", "cannot read the code to review: broken [fix this and call again]")
    unknown("too slow [wait longer]", "cannot read the code to review: too slow [wait longer]")
  })

  it("depends on the present code unless reviewers run or issues are handed off", () => {
    for (const lines of [[], [done], [[one, started(), stopped()]]]) {
      assert.isTrue(dependsOnPresent(manifestOf(...lines), 0, noneWaived))
    }
    for (const lines of [[[one, started()]], [reviewed("HasIssues")]]) {
      assert.isFalse(dependsOnPresent(manifestOf(...lines), 0, noneWaived))
    }
  })

  it("waits for its identity if it was not computed", () => {
    const manifest = manifestOf(done)
    const context = { ceiling: "low", identity: null, retries: 0, waived: noneWaived } as const
    assert.deepStrictEqual(waitOf(manifest, manifest.strict ?? assert.fail("not strict"), context), {
      _tag: "Identity",
      why: "it was not asked for"
    })
  })
})

/** Steps until there is an outcome; running reviews end clean. */
const atOutcome = (from: World, rungs: Rungs): World => {
  let world = from
  for (let turn = 0; turn < 20; turn++) {
    const { outcome, world: after } = step(world, rungs)
    if (outcome !== null) return after
    world = finish(after, "Clean") ?? after
  }
  return assert.fail("no outcome in twenty turns")
}

const here = ({ manifest, run }: World) => ({ run, level: manifest.current_level, batch: manifest.batch_number })
const clean = (world: World, rungs: Rungs) => mark(world, rungs, { _tag: "RetroClean" }, here(world)).world

describe("a batch that failed while the code changed", () => {
  it("is replaced by one at the lowest level that is not covered, not by the next one at its own level", () => {
    const asked = atOutcome(newWorld("low"), medium)
    const above = step(clean(asked, medium), medium).world
    const failed = crash(above, "Lost") ?? assert.fail("no reviewer ran")
    assert.strictEqual(step(failed, medium).world.manifest.current_level, "medium")
    assert.strictEqual(step(edit(failed, "B"), medium).world.manifest.current_level, "low")
  })
})
