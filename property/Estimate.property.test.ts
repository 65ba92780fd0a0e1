// Estimate: laws of the estimate, and how near it comes to code whose defects are known.
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { estimate } from "../src/review/findings/Estimate.ts"
import { drawing, figures, worlds } from "./estimating.ts"

const reviewers = fc.integer({ min: 2, max: 8 }).map((size) => Array.from({ length: size }, (_, i) => i + 1))
const histories = (of: ReadonlyArray<number>) => fc.array(fc.subarray([...of], { minLength: 1 }), { maxLength: 40 })
const case_ = reviewers.chain((of) => fc.tuple(fc.constant(of), histories(of)))
const bounded = (made: ReturnType<typeof estimate>) => made._tag === "Expected" ? made : null

describe("an estimate", () => {
  it("is never below nothing, lies within its bounds, and its bounds are finite", () =>
    fc.assert(fc.property(case_, ([of, seen]) => {
      const made = bounded(estimate(seen, of))
      if (made === null) return
      assert.strictEqual(made.found, seen.length)
      assert.isTrue(0 <= made.low && made.low <= made.more && made.more <= made.high && Number.isSafeInteger(made.high))
      assert.isTrue(made.low <= made.chaoMt && made.chaoMt <= made.high)
      assert.isTrue(made.low <= made.jackknife && made.jackknife <= made.high)
    })))

  it("does not depend on what reviewers are called, nor on the order of findings", () =>
    fc.assert(fc.property(case_, fc.integer(), ([of, seen], seed) => {
      const draw = drawing(seed)
      const order = of.map((one) => ({ one, at: draw() })).sort((a, b) => a.at - b.at).map(({ one }) => one)
      const renamed = seen.map((by) => by.map((one) => (order[one - 1] ?? 0) + 100)).reverse()
      assert.deepEqual(estimate(renamed, of.map((one) => one + 100).reverse()), estimate(seen, of))
    })))

  it("never falls when a reviewer finds something that no one else found", () =>
    fc.assert(fc.property(case_, fc.nat(), ([of, seen], pick) => {
      const before = bounded(estimate(seen, of))
      const after = bounded(estimate([...seen, [of[pick % of.length] ?? 1]], of))
      if (before === null) return
      assert.isTrue(after !== null && after.chaoMt >= before.chaoMt && after.jackknife > before.jackknife)
    })))

  it("never rises when a second reviewer finds what only one had found", () =>
    fc.assert(fc.property(case_, fc.nat(), ([of, seen], pick) => {
      const before = bounded(estimate(seen, of))
      const at = seen.findIndex(({ length }) => length === 1)
      const [only] = seen[at] ?? []
      if (before === null || only === undefined) return
      const others = of.filter((one) => one !== only)
      const second = others[pick % others.length] ?? only
      const after = bounded(estimate(seen.with(at, [only, second]), of))
      assert.isTrue(after !== null && after.chaoMt <= before.chaoMt && after.jackknife < before.jackknife)
    })))

  it("expects nothing more when a further reviewer finds exactly what is known", () =>
    fc.assert(fc.property(case_, ([of, seen]) => {
      const more = of.length + 1
      const made = estimate(seen.map((by) => [...by, more]), [...of, more])
      assert.isTrue(made._tag === "Silent" ? seen.length === 0 : made.more === 0 && made.low === 0)
    })))
})

describe("the table of docs/estimate.md", () => {
  const page = readFileSync(new URL("../docs/estimate.md", import.meta.url), "utf8")
  const rows = (page.split("<!-- table -->\n")[1] ?? "").trim().split("\n").slice(2)
  const cells = rows.flatMap((row) => {
    const [, defects = "", name = "", ...columns] = row.split("|").map((cell) => cell.trim())
    return [2, 3, 4, 6, 8].map((size, i) => {
      const [, bias, held, width] = /^([+-]?\d+), (\d+), (\d+)/.exec(columns[i] ?? "") ?? []
      return { defects: Number(defects), name, size, bias: Number(bias), held: Number(held), width: Number(width) }
    })
  })

  it("is what other batches come to, nearly", () => {
    assert.lengthOf(cells, 4 * Object.keys(worlds).length * 5)
    for (const { bias, defects, held, name, size, width } of cells) {
      const world = worlds[name]
      if (world === undefined) return assert.fail(`no such code: ${name}`)
      const again = figures(world, defects, size, 400, 2)
      const at = `${name}, ${defects} defects, ${size} reviewers`
      assert.closeTo(again.bias, bias, 8, at)
      assert.closeTo(again.held, held, 12, at)
      assert.closeTo(again.width, width, 3 + width / 4, at)
    }
  })

  it("shows bounds that hold where every defect is within reach, and are too narrow where some are not", () => {
    const hidden = (name: string) => name.startsWith("a third")
    const good = cells.filter(({ name, size }) => !hidden(name) && size >= 3)
    assert.isAtLeast(Math.min(...good.map(({ held }) => held)), 90)
    assert.isAtMost(Math.max(...good.map(({ bias }) => Math.abs(bias))), 18)
    assert.isBelow(Math.min(...cells.filter(({ name }) => hidden(name)).map(({ held }) => held)), 75)
  })
})
