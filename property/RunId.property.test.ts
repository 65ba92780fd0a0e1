// RunId: names sort as the instants they are of, and a new run's follows every older one, whatever the clock says.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { runId, runIdAfter, runIdPattern } from "../src/log/Refs.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

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

describe("run ids", () => {
  const instant = fc.record({
    iso: arbitraries.isoTime,
    nanos: fc.nat({ max: 999_999_999 }),
    pid: fc.nat({ max: 4_194_304 })
  })

  it("have the contract's form", () =>
    fc.assert(fc.property(instant, ({ iso, nanos, pid }) => assert.match(runId(iso, nanos, pid), runIdPattern))))

  it("sort as their instants do", () =>
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const key = (one: typeof a) => `${one.iso.slice(0, 19)} ${String(one.nanos).padStart(9, "0")}`
        fc.pre(key(a) < key(b))
        assert.isBelow(runId(a.iso, a.nanos, a.pid).localeCompare(runId(b.iso, b.nanos, b.pid), "en"), 0)
      }),
      {
        examples: [[
          { iso: "2030-01-01T00:00:00.000Z", nanos: 9, pid: 9 },
          { iso: "2030-01-01T00:00:00.000Z", nanos: 10, pid: 1 }
        ]]
      }
    ))
})
