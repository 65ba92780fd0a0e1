// RunId: names of runs in the contract's form, in the order of creation whatever the clock does.
import { assert, describe, it } from "vitest"
import { runId, runIdAfter, runIdPattern } from "../../../src/log/Refs.ts"

describe("runId", () => {
  it("is <utc-second>-<nanos>-p<pid> with nine digits of nanoseconds", () => {
    assert.strictEqual(runId("2030-01-02T03:04:05.678Z", 678_000_001, 42), "20300102T030405Z-678000001-p42")
    assert.strictEqual(runId("2030-01-02T03:04:05.000Z", 7, 4194304), "20300102T030405Z-000000007-p4194304")
    assert.strictEqual(runId("2030-01-02T03:04:05Z", 0, 1), "20300102T030405Z-000000000-p1")
  })

  it("matches its pattern, which admits no path", () => {
    assert.match(runId("2030-01-02T03:04:05.678Z", 1, 2), runIdPattern)
    for (const name of ["", "..", "20300102T030405Z-000000006-p7/..", "20300102T030405Z-000000006-p7\n", "latest"]) {
      assert.notMatch(name, runIdPattern)
    }
  })
})

describe("the id of a new run", () => {
  const newest = "20300102T030405Z-000000006-p7"

  it("is the one of its instant where that comes after the newest run's, or there is none", () => {
    assert.strictEqual(runIdAfter("20300102T030405Z-000000007-p9", newest), "20300102T030405Z-000000007-p9")
    assert.strictEqual(runIdAfter("20200102T030405Z-000000007-p9", null), "20200102T030405Z-000000007-p9")
  })

  it("is of the nanosecond after the newest run's where the clock has gone back, and names its own process", () => {
    assert.strictEqual(runIdAfter("20200102T030405Z-000000007-p9", newest), "20300102T030405Z-000000007-p9")
    const last = "20291231T235959Z-999999999-p7"
    assert.strictEqual(runIdAfter("20200102T030405Z-000000007-p9", last), "20300101T000000Z-000000000-p9")
  })
})
