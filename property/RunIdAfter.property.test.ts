// runIdAfter: a new run's id follows every older one, whatever the clock says.
// The one rule: names order runs; an id is never given that would sort before a run that is there.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { runId, runIdAfter, runIdPattern } from "../src/core/run/Paths.ts"

const second = fc.date({ min: new Date("2001-01-01"), max: new Date("2098-12-31"), noInvalidDate: true })
const pid = fc.integer({ min: 1, max: 4_194_304 })
const nanos = fc.oneof(fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom(0, 999_999_998, 999_999_999))
const id = fc.tuple(second, nanos, pid).map(([at, nano, process]) => runId(at.toISOString(), nano, process))

describe("the id of a new run", () => {
  it("comes after the newest, keeps its form, and is what the clock says wherever that does", () =>
    fc.assert(fc.property(id, id, (now, newest) => {
      const given = runIdAfter(now, newest)
      assert.match(given, runIdPattern)
      assert.isAbove(given > newest ? 1 : 0, 0, `${given} after ${newest}`)
      if (now > newest) assert.strictEqual(given, now)
      assert.strictEqual(given.split("-p")[1], now.split("-p")[1])
    })))

  it("is what the clock says where there is no run yet", () =>
    fc.assert(fc.property(id, (now) => assert.strictEqual(runIdAfter(now, null), now))))
})
