// StrictDecide: what a strict run does next, case by case; whole runs are moved by the program's own rules.
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

const low: Rungs = { floor: "low", ceiling: "low" }
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

  it("hands off issues whatever the code is now, and says how they are answered", () => {
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

  it("opens a batch at the lowest level that other code was reviewed at", () =>
    assert.deepStrictEqual(decided([done], tree("t2")), stale("low", "low/target-changed")))

  it("opens a batch where the code changed under review and changed back", () => {
    const completed = { ...tree("t1"), stamps: "after" }
    const disturbed: ReadonlyArray<Event> = [
      batchStarted({ size: 1, identity: { ...tree("t1"), stamps: "before" } }),
      started(),
      finished("Clean"),
      { _tag: "BatchCompleted", level: "low", batch: 1, identity: completed }
    ]
    assert.deepStrictEqual(decided([disturbed], completed), stale("low", "low/target-changed"))
  })

  it("runs again what failed or was stopped only while it is about the present code", () => {
    const broken = [[one, started(), failed(), batchFailed([1])]]
    assert.deepInclude(decided(broken), { cause: "failed-slots", key: "low/batch-1/failed-slots" })
    assert.deepStrictEqual(decided(broken, tree("t2")), stale("low", "low/target-changed"))
    assert.deepInclude(decided([[one, started(), stopped()]]), { cause: "stopped-slots" })
    assert.deepStrictEqual(decided(broken, tree("t1"), { lost: true }), stale("low", "low/stale"))
    const fresh = decided(broken, tree("t1"), { openedAt: 1 })
    assert.deepInclude(fresh._tag === "Halt" ? fresh.outcome : {}, { _tag: "BinaryError" })
  })

  it("ends where it was stopped meanwhile, where its cap is reached, and where no one can say what is reviewed", () => {
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

  it("waits for its identity where that was not asked for", () => {
    const manifest = manifestOf(done)
    const context = { ceiling: "low", identity: null, retries: 0, waived: noneWaived } as const
    assert.deepStrictEqual(waitOf(manifest, manifest.strict ?? assert.fail("not strict"), context), {
      _tag: "Identity",
      why: "it was not asked for"
    })
  })
})

/** Steps until there is an outcome; reviews that run end clean. */
const outcomeOf = (from: World, rungs: Rungs): { readonly world: World; readonly said: string } => {
  let world = from
  for (let turn = 0; turn < 20; turn++) {
    const { outcome, world: after } = step(world, rungs)
    if (outcome !== null) return { world: after, said: outcome._tag === "HandoffAgent" ? outcome.action : outcome._tag }
    world = finish(after, "Clean") ?? after
  }
  return assert.fail("no outcome in twenty turns")
}

const here = ({ manifest, run }: World) => ({ run, level: manifest.current_level, batch: manifest.batch_number })
const clean = (world: World, rungs: Rungs) => mark(world, rungs, { _tag: "RetroClean" }, here(world)).world

describe("a batch that failed while the code changed", () => {
  it("gives way to the lowest level that is not covered, not to the next one at its own", () => {
    const asked = outcomeOf(newWorld("low"), medium).world
    const above = step(clean(asked, medium), medium).world
    const failed = crash(above, "Lost") ?? assert.fail("no reviewer ran")
    assert.strictEqual(step(failed, medium).world.manifest.current_level, "medium")
    assert.strictEqual(step(edit(failed, "B"), medium).world.manifest.current_level, "low")
  })
})

describe("a trace that once had no way out", () => {
  it("an edit that is undone after the next level was reviewed: low is reviewed again, then it ends", () => {
    let world = outcomeOf(newWorld("low"), medium).world
    world = clean(outcomeOf({ ...world, code: "B" }, medium).world, medium)
    const { said, world: after } = outcomeOf({ ...world, code: "A" }, medium)
    assert.deepStrictEqual([said, after.manifest.opened.low], ["DoneFixedPoint", 3])
  })

  it("a clean batch above the ceiling: the retrospective is asked for once, then it ends", () => {
    const first = outcomeOf(newWorld("low"), low).world
    const above = mark(first, low, { _tag: "AdvanceLevel" }, here(first)).world
    assert.strictEqual(outcomeOf(above, low).said, "DoneFixedPoint")
    const reviewed = finish(step(above, { floor: "low", ceiling: "medium" }).world, "Clean") ?? above
    const asked = outcomeOf(reviewed, low)
    assert.strictEqual(asked.said, "Retrospective")
    assert.strictEqual(outcomeOf(clean(asked.world, low), low).said, "DoneFixedPoint")
  })

  it("a restart after the fixed point: it is not reported again without reviews", () => {
    const first = outcomeOf(newWorld("low"), low).world
    const again = mark(first, low, { _tag: "RestartFromFloor" }, here(first)).world
    const { said, world } = outcomeOf(again, low)
    assert.deepStrictEqual([said, world.manifest.opened.low], ["DoneFixedPoint", 2])
  })

  it("a batch voided by late changes: a clean one that holds a retrospective is not handed off for ever", () => {
    const first = outcomeOf(newWorld("low"), medium).world
    const moved = outcomeOf({ ...first, code: "B" }, low)
    assert.strictEqual(moved.said, "DoneFixedPoint")
    const answered = mark(moved.world, low, { _tag: "RetroClean" }, here(moved.world)).world
    const changes = { _tag: "RetroChanges", reason: { text: "pattern" } } as const
    const late = mark(answered, medium, changes, here(first))
    assert.isFalse(late.refused)
    const { said, world } = outcomeOf(late.world, medium)
    assert.deepStrictEqual([said, world.manifest.opened.low], ["Retrospective", 3])
    assert.isFalse(mark(world, medium, { _tag: "RetroClean" }, here(world)).refused)
  })
})
