// Cover: which batch counts for a level, what ends that, and the lowest level that is not covered.
import { assert, describe, it } from "vitest"
import {
  blocks,
  type CompleteBatch,
  isAbout,
  isCovered,
  isKnownToDiffer,
  noneWaived,
  staleLevel
} from "../../../src/run/Cover.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import type { Level } from "../../../src/run/Level.ts"
import { batchStarted, created, finished, given, opened, started, tree } from "./events.ts"

const done = (
  level: Level,
  batch: number,
  verdict: "Clean" | "HasIssues" = "Clean",
  [began, completed] = ["A", "A"]
): ReadonlyArray<Event> => [
  batchStarted({ level, batch, size: 1, identity: tree(began) }),
  started({ level, batch }),
  finished(verdict, { level, batch }),
  { _tag: "BatchCompleted", level, batch, identity: tree(completed) }
]

const outcome = (level: Level, batch: number, what: "Clean" | "Addressed" | "RetrospectiveChanges"): Event => ({
  _tag: "LevelOutcomeRecorded",
  level,
  batch,
  outcome: what === "Addressed"
    ? { _tag: what, count: 1 }
    : what === "Clean"
    ? { _tag: what }
    : { _tag: what, reason: { text: "r" } },
  ceiling: "xhigh"
})

const strictOf = (...lines: ReadonlyArray<ReadonlyArray<Event>>) =>
  given([created({ strict: true })], ...lines).strict ?? assert.fail("the run is not strict")

const both = [done("low", 1), [opened("medium", 1), ...done("medium", 1)]]

const lowest = (lines: ReadonlyArray<ReadonlyArray<Event>>, now: Identity = tree("A"), ceiling: Level = "medium") =>
  staleLevel(strictOf(...lines), { floor: "low", ceiling }, now, noneWaived)

describe("the fold", () => {
  it("keeps nothing if a run is not strict", () => assert.isUndefined(given([created()], done("low", 1)).strict))

  it("keeps the last complete batch of each level, with the code that it saw", () => {
    const { last } = strictOf(done("low", 1, "HasIssues"), [opened("low", 2), ...done("low", 2, "Clean", ["A", "B"])])
    assert.deepStrictEqual(last, {
      low: { batch: 2, withIssues: 0, began: tree("A"), completed: tree("B"), voided: false },
      medium: null,
      high: null,
      xhigh: null
    })
  })

  it("keeps a clean retrospective until issues, an address or changes", () => {
    const clean = [done("low", 1), [outcome("low", 1, "Clean"), opened("medium", 1)]]
    assert.isTrue(strictOf(...clean).retrospected)
    assert.isTrue(strictOf(...clean, done("medium", 1)).retrospected)
    assert.isFalse(strictOf(...clean, done("medium", 1, "HasIssues")).retrospected)
    for (const what of ["Addressed", "RetrospectiveChanges"] as const) {
      assert.isFalse(strictOf(...clean, [outcome("medium", 1, what)]).retrospected)
    }
  })
})

describe("the lowest level that is not covered", () => {
  it("is the first without a clean batch about the present code", () => {
    assert.strictEqual(lowest([]), "low")
    assert.strictEqual(lowest([done("low", 1)]), "medium")
    assert.isNull(lowest(both))
    assert.strictEqual(lowest(both, tree("B")), "low")
    assert.strictEqual(lowest(both, tree("A"), "high"), "high")
    assert.strictEqual(lowest([done("low", 1), [opened("medium", 1), ...done("medium", 1, "HasIssues")]]), "medium")
    assert.strictEqual(lowest([done("low", 1, "Clean", ["A", "B"])]), "low")
  })

  it("is the floor after retrospective changes or a restart", () => {
    assert.strictEqual(lowest([...both, [outcome("medium", 1, "RetrospectiveChanges")]]), "low")
    assert.strictEqual(lowest([...both, [opened("low", 2, { cause: "Restarted" })]]), "low")
  })

  it("is the target of --drop-level; a drop after an address voids nothing", () => {
    const dropped = opened("medium", 2, { cause: "Dropped" })
    assert.strictEqual(lowest([...both, [dropped]]), "medium")
    assert.isNull(lowest([...both, [outcome("medium", 1, "Addressed"), dropped]]))
  })

  it("is the floor if the identity is unknown", () =>
    assert.strictEqual(lowest(both, { _tag: "Unknown", why: "x", head: "a".repeat(40), tree: "A", base: null }), "low"))
})

describe("a complete batch", () => {
  const batch: CompleteBatch = { batch: 1, withIssues: 1, began: tree("A"), completed: tree("A"), voided: false }

  it("blocks if it has issues, unless they are waived", () => {
    assert.isTrue(blocks("low", batch, noneWaived))
    assert.isFalse(blocks("low", batch, (level, number) => level === "low" && number === 1))
    assert.isFalse(blocks("low", { ...batch, withIssues: 0 }, noneWaived))
  })

  it("that was disturbed is about no code, even if the code looks the same again", () => {
    const began = { ...tree("A"), stamps: "before" }
    assert.isTrue(isAbout({ ...batch, began, completed: { ...began } }, tree("A")))
    assert.isFalse(isAbout({ ...batch, began, completed: { ...began, stamps: "after" } }, tree("A")))
  })

  it("during which the code was committed is about the commit only", () => {
    const began: Identity = { ...tree("A"), headTree: "0", index: "0", indexTree: "0", untracked: false, moved: "1" }
    const compared: Identity = { ...began, mergeBase: "m" }
    const commit: Identity = { ...compared, headTree: "A", index: "A", indexTree: "A", moved: "2", movedBefore: "1" }
    const last = { ...batch, began: compared, completed: commit }
    assert.isTrue(isAbout(last, commit))
    assert.isFalse(isKnownToDiffer(last, commit))
    // A reviewer from before the commit has not seen what is staged now; one from after it has not either.
    for (const now of [compared, { ...commit, headTree: "0" }, { ...commit, index: "0", indexTree: "0" }]) {
      assert.isFalse(isAbout(last, now))
      assert.isTrue(isKnownToDiffer(last, now))
    }
  })

  it("covers its level if it does not block", () => {
    const issues = strictOf(done("low", 1, "HasIssues"))
    assert.isFalse(isCovered(issues, "low", tree("A"), noneWaived))
    assert.isTrue(isCovered(issues, "low", tree("A"), () => true))
    assert.isFalse(isCovered(issues, "medium", tree("A"), () => true))
  })
})
