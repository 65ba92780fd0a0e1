// StrictMark: which answers a strict run accepts, which it repeats, and which it refuses.
import { assert, describe, it } from "vitest"
import type { Mark } from "../../../src/run/Mark.ts"
import { noneWaived } from "../../../src/run/Cover.ts"
import { decideStrictMark, repeatedMark, waitText } from "../../../src/run/StrictMark.ts"
import { batchesOf } from "../../../src/run/ReviewRun.ts"
import { batchStarted, created, finished, given, started } from "./events.ts"
import { finish, mark, newWorld, type Rungs, step, type World } from "./strictWorld.ts"

const low: Rungs = { floor: "low", ceiling: "low" }
const medium: Rungs = { floor: "low", ceiling: "medium" }

const clean: Mark = { _tag: "RetroClean" }
const passed: Mark = { _tag: "AddressPassed" }
const red: Mark = { _tag: "AddressFailed", details: { text: "red" } }
const changes: Mark = { _tag: "RetroChanges", reason: { text: "pattern" } }

const here = ({ manifest, run }: World) => ({ run, level: manifest.current_level, batch: manifest.batch_number })
const reviewed = (from: World, verdict: "Clean" | "HasIssues", rungs = medium): World =>
  finish(step(from, rungs).world, verdict) ?? assert.fail("no reviewer ran")
const given1 = (verdict: "Clean" | "HasIssues") => reviewed(newWorld("low"), verdict)

/** The result of a mark for the current batch: refused, or the tags of the committed events. */
const said = (world: World, what: Mark, rungs = medium, answered = here(world)) => {
  const { outcome, refused, world: after } = mark(world, rungs, what, answered)
  const events = after.commits.slice(world.commits.length).flatMap((line) => line.events.map(({ _tag }) => _tag))
  return refused ? "refused" : [outcome?._tag, ...events]
}

describe("a strict mark", () => {
  it("needs a complete batch", () => {
    for (const what of [clean, passed, red, changes]) {
      assert.strictEqual(said(newWorld("low"), what), "refused")
      assert.strictEqual(said(step(newWorld("low"), medium).world, what), "refused")
    }
  })

  it("on issues must be an address", () => {
    const world = given1("HasIssues")
    assert.deepStrictEqual(said(world, passed), ["Idle", "LevelOutcomeRecorded", "BatchOpened"])
    assert.deepStrictEqual(said(world, red), ["HandoffHuman", "AddressFailed"])
    for (const what of [clean, changes]) assert.strictEqual(said(world, what), "refused")
  })

  it("on issues at the ceiling must be an address too", () => {
    for (const what of [clean, changes]) assert.strictEqual(said(given1("HasIssues"), what, low), "refused")
  })

  it("does not answer the batch that was opened after the last complete one", () => {
    const world = given1("HasIssues")
    const after = mark(world, medium, passed, here(world)).world
    assert.strictEqual(said(after, passed), "refused")
  })

  it("of failed tests needs all reviews of the batch, even if one has issues already", () => {
    const lines = [[batchStarted({ size: 2 }), started(), started({ slot: 2, id: "id-2" }), finished("HasIssues")]]
    const manifest = given([created({ strict: true })], ...lines)
    const past = batchesOf([[created({ strict: true })], ...lines].map((events, i) => ({ seq: i + 1, at: "", events })))
    const decided = decideStrictMark(manifest, manifest.strict ?? assert.fail(), {
      answered: { level: "low", batch: 1 },
      mark: red,
      past
    }, { ceiling: "low", identity: null, retries: 0, waived: noneWaived })
    assert.strictEqual(decided._tag, "Refused")
  })

  it("on a clean batch must be its retrospective", () => {
    const world = given1("Clean")
    assert.deepStrictEqual(said(world, clean), ["Idle", "LevelOutcomeRecorded", "BatchOpened"])
    assert.deepStrictEqual(said(world, changes), ["Idle", "LevelOutcomeRecorded", "BatchOpened"])
    for (const what of [passed, red]) assert.strictEqual(said(world, what), "refused")
  })

  it("of a clean retrospective is about the present code; one with changes is not", () => {
    const edited = { ...given1("Clean"), code: "B" }
    assert.strictEqual(said(edited, clean), "refused")
    assert.deepStrictEqual(said(edited, changes), ["Idle", "LevelOutcomeRecorded", "BatchOpened"])
  })

  it("at the ceiling passes only if the step itself would end", () => {
    const world = given1("Clean")
    assert.deepStrictEqual(said(world, clean, low), ["DoneFixedPoint", "LevelOutcomeRecorded", "FixedPointReached"])
    const second = reviewed({ ...world, code: "B" }, "Clean")
    const top = reviewed(mark(second, medium, clean, here(second)).world, "Clean")
    assert.deepStrictEqual(said(top, clean), ["DoneFixedPoint", "LevelOutcomeRecorded", "FixedPointReached"])
    const changed = mark(top, medium, changes, here(world))
    assert.strictEqual(said(changed.world, clean), "refused")
  })

  it("at the ceiling waits for issues below it that block now", () => {
    const below =
      mark({ ...given1("HasIssues"), dismissed: true }, medium, clean, { run: 1, level: "low", batch: 1 }).world
    const top = reviewed(below, "Clean")
    assert.strictEqual(said({ ...top, dismissed: false }, clean), "refused")
    assert.deepStrictEqual(said(top, clean), ["DoneFixedPoint", "LevelOutcomeRecorded", "FixedPointReached"])
  })

  it("may be a primitive, which answers nothing", () =>
    assert.deepStrictEqual(said(newWorld("low"), { _tag: "AdvanceLevel" }), ["Idle", "BatchOpened"]))
})

describe("a repeated mark", () => {
  it("prints the same and commits nothing", () => {
    const world = given1("Clean")
    const after = mark(world, medium, clean, here(world)).world
    assert.deepStrictEqual(said(after, clean, medium, here(world)), ["Idle"])
    assert.deepStrictEqual(repeatedMark(after.commits, { answered: here(world), mark: clean, ceiling: "medium" }), {
      events: [],
      line: "retrospective clean at low; advanced to medium",
      outcome: { _tag: "Idle" }
    })
    assert.strictEqual(said(after, changes, medium, here(world)), "refused")
  })

  it("does not report a fixed point of code that changed since", () => {
    const world = given1("Clean")
    const after = mark(world, low, clean, here(world)).world
    assert.deepStrictEqual(said(after, clean, low, here(world)), ["DoneFixedPoint"])
    assert.strictEqual(said({ ...after, code: "B" }, clean, low, here(world)), "refused")
  })

  it("with another text is a new mark", () => {
    const world = given1("Clean")
    const after = mark(world, medium, changes, here(world)).world
    assert.deepStrictEqual(said(after, changes, medium, here(world)), ["Idle"])
    const other: Mark = { _tag: "RetroChanges", reason: { text: "another" } }
    assert.strictEqual(said(after, other, medium, here(world)), "refused")
  })
})

describe("a batch whose issues were dismissed", () => {
  const waived = { ...given1("HasIssues"), dismissed: true }

  it("is answered like a clean one, and its failing tests can still be reported", () => {
    assert.deepStrictEqual(said(waived, clean, medium), ["Idle", "LevelOutcomeRecorded", "BatchOpened"])
    assert.strictEqual(said(waived, passed, medium), "refused")
    for (const world of [waived, mark(waived, medium, clean, here(waived)).world]) {
      assert.deepStrictEqual(said(world, red, medium, here(waived)), ["HandoffHuman", "AddressFailed"])
    }
  })

  it("is answered by the bar of the mark, not by the bar of the step", () => {
    const world = given1("HasIssues")
    assert.strictEqual(said(world, clean, medium), "refused")
    assert.deepStrictEqual(said(world, clean, { ...medium, lenient: true }), [
      "Idle",
      "LevelOutcomeRecorded",
      "BatchOpened"
    ])
  })

  it("can be addressed when it blocks again, although it was answered like a clean one", () => {
    const ended = { ...mark(waived, low, clean, here(waived)).world, dismissed: false }
    assert.strictEqual(step(ended, low).outcome?._tag, "HandoffAgent")
    assert.deepStrictEqual(said(ended, passed, low), ["Idle", "LevelOutcomeRecorded", "BatchOpened"])
  })
})

describe("a mark for a batch that was left", () => {
  it("of failed tests is always accepted", () => {
    const world = given1("HasIssues")
    const after = mark(world, medium, passed, here(world)).world
    assert.deepStrictEqual(said(after, red, medium, here(world)), ["HandoffHuman", "AddressFailed"])
    assert.deepStrictEqual(said(reviewed(after, "Clean"), red, medium, here(world)), ["HandoffHuman", "AddressFailed"])
  })

  it("for another run is refused", () => {
    const world = given1("Clean")
    assert.strictEqual(said({ ...world, run: 2 }, clean, medium, here(world)), "refused")
  })

  it("records retrospective changes if only the code had changed, and opens nothing", () => {
    const first = given1("Clean")
    const left = step({ ...first, code: "B" }, medium).world
    assert.strictEqual(left.manifest.batch_number, 2)
    assert.deepStrictEqual(said(left, changes, medium, here(first)), ["Idle", "LevelOutcomeRecorded"])
    assert.strictEqual(said(left, clean, medium, here(first)), "refused")
    const after = mark(left, medium, changes, here(first)).world
    assert.deepStrictEqual(repeatedMark(after.commits, { answered: here(first), mark: changes, ceiling: "medium" }), {
      events: [],
      line: "retrospective surfaced changes at low; the run has moved on with the code",
      outcome: { _tag: "Idle" }
    })
  })

  it("is refused if its issues block now", () => {
    const first = { ...given1("HasIssues"), dismissed: true }
    const left = step({ ...first, code: "B" }, medium).world
    assert.strictEqual(left.manifest.batch_number, 2)
    assert.strictEqual(said({ ...left, dismissed: false }, changes, medium, here(first)), "refused")
    assert.deepStrictEqual(said(left, changes, medium, here(first)), ["Idle", "LevelOutcomeRecorded"])
  })

  it("is refused if a primitive left it", () => {
    const first = given1("Clean")
    const restarted = mark(first, medium, { _tag: "RestartFromFloor" }, here(first)).world
    assert.strictEqual(said(restarted, changes, medium, here(first)), "refused")
  })
})

describe("a refusal", () => {
  it("says what the run waits for", () => {
    const manifest = given([created({ strict: true })])
    const texts =
      ([{ _tag: "Reviewers" }, { _tag: "Address" }, { _tag: "Retrospective" }, { _tag: "Nothing" }] as const)
        .map((waiting) => waitText(waiting, { level: "low", batch: 1 }))
    assert.deepStrictEqual(texts, [
      "the reviewers of low/1; call the step",
      "an answer to AddressBatch of low/1",
      "an answer to Retrospective of low/1",
      "nothing: the fixed point is reached; call the step"
    ])
    const asked = { answered: { level: "low", batch: 1 }, mark: clean, past: [] } as const
    const context = {
      ceiling: "low",
      identity: { _tag: "Unknown", why: "broken" },
      retries: 0,
      waived: noneWaived
    } as const
    const refused = decideStrictMark(manifest, manifest.strict ?? assert.fail("not strict"), asked, context)
    assert.deepStrictEqual(refused, { _tag: "Refused", waiting: { _tag: "Identity", why: "broken" } })
    assert.strictEqual(
      waitText({ _tag: "Identity", why: "broken" }, { level: "low", batch: 1 }),
      "the state of the code, which cannot be determined: broken"
    )
  })
})
