// Refs: references differ in each of their parts, runs are listed newest first, and ids only grow.
import { assert, describe, it } from "vitest"
import {
  newestFirst,
  runId,
  runIdAfter,
  runIdPattern,
  type RunRef,
  runText,
  sameRun,
  targetText
} from "../../../src/log/Refs.ts"
import { attemptIdIn, attemptText, deliveredId, type ReviewRef, slotText } from "../../../src/run/Refs.ts"

const run: RunRef = {
  root: "/state",
  repoId: "repo-noremote",
  targetKey: "base/main",
  runId: "20260105T060708Z-000000001-p7"
}

describe("a reference to a run", () => {
  const others: ReadonlyArray<RunRef> = [
    { ...run, root: "/other" },
    { ...run, repoId: "repo-0123456789ab" },
    { ...run, targetKey: "base/next" },
    { ...run, runId: "20260105T060708Z-000000002-p7" },
    { ...run, root: "/state/repo-noremote", repoId: "base", targetKey: "main" }
  ]

  it.each(others)("differs from %o", (other) => {
    assert.isFalse(sameRun(run, other))
    assert.notStrictEqual(runText(run), runText(other))
  })

  it("equals another with the same parts", () => assert.isTrue(sameRun(run, { ...run })))

  it("shares its target with other runs of the target", () => {
    const later: RunRef = { ...run, runId: "20260105T060708Z-000000002-p7" }
    assert.strictEqual(targetText(run), targetText(later))
    assert.notStrictEqual(targetText(run), targetText({ ...run, targetKey: "pr/1" }))
  })
})

describe("a list of runs", () => {
  it("has the newest first, and runs of one instant sorted by their targets", () => {
    const newer = { ...run, runId: "20260105T060709Z-000000000-p7" }
    const dashed = { ...run, targetKey: "base/main-2" }
    const nested = { ...run, targetKey: "base/main/2" }
    const twin = { ...run, repoId: "zoo-noremote" }
    assert.deepStrictEqual([twin, nested, run, dashed, newer].sort(newestFirst), [newer, dashed, run, nested, twin])
  })
})

describe("a reference to an attempt", () => {
  const review: ReviewRef = { run, level: "low", batch: 1, slot: 1, attempt: 1 }
  const elsewhere: ReadonlyArray<ReviewRef> = [
    { ...review, run: { ...run, targetKey: "pr/1" } },
    { ...review, level: "high" },
    { ...review, batch: 11 },
    { ...review, slot: 2 }
  ]

  it("differs from other attempts of its slot, but shares the slot", () => {
    const again = { ...review, attempt: 2 }
    assert.notStrictEqual(attemptText(review), attemptText(again))
    assert.strictEqual(slotText(review), slotText(again))
  })

  it.each(elsewhere)("differs from %o, and so does its slot", (other) => {
    assert.notStrictEqual(attemptText(review), attemptText(other))
    assert.notStrictEqual(slotText(review), slotText(other))
  })

  it("is found by the mark of its processes, whichever delivery it has", () =>
    assert.deepStrictEqual([deliveredId("a", "one"), "a"].map(attemptIdIn), ["a", "a"]))

  it("does not depend on its id", () =>
    assert.strictEqual(attemptText({ ...review, ...{ id: "a" } }), attemptText({ ...review, ...{ id: "b" } })))
})

describe("runId", () => {
  it("is <utc-second>-<nanos>-p<pid> with nine digits of nanoseconds", () => {
    assert.strictEqual(runId("2030-01-02T03:04:05.678Z", 678_000_001, 42), "20300102T030405Z-678000001-p42")
    assert.strictEqual(runId("2030-01-02T03:04:05.000Z", 7, 4194304), "20300102T030405Z-000000007-p4194304")
    assert.strictEqual(runId("2030-01-02T03:04:05Z", 0, 1), "20300102T030405Z-000000000-p1")
  })

  it("matches its pattern, which allows no path", () => {
    assert.match(runId("2030-01-02T03:04:05.678Z", 1, 2), runIdPattern)
    for (const name of ["", "..", "20300102T030405Z-000000006-p7/..", "20300102T030405Z-000000006-p7\n", "latest"]) {
      assert.notMatch(name, runIdPattern)
    }
  })
})

describe("the id of a new run", () => {
  const newest = "20300102T030405Z-000000006-p7"

  it("is the id of its instant if that is after the newest run's, or there is no run", () => {
    assert.strictEqual(runIdAfter("20300102T030405Z-000000007-p9", newest), "20300102T030405Z-000000007-p9")
    assert.strictEqual(runIdAfter("20200102T030405Z-000000007-p9", null), "20200102T030405Z-000000007-p9")
  })

  it("is one nanosecond after the newest run's if the clock went back, with its own process", () => {
    assert.strictEqual(runIdAfter("20200102T030405Z-000000007-p9", newest), "20300102T030405Z-000000007-p9")
    const last = "20291231T235959Z-999999999-p7"
    assert.strictEqual(runIdAfter("20200102T030405Z-000000007-p9", last), "20300101T000000Z-000000000-p9")
  })
})
