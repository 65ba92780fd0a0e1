// The drawing of a run's way: a mark for each batch with its words, and bars for its findings.
import { assert, describe, it } from "vitest"
import { dot, pathChart } from "../../../../src/read/report/PathChart.ts"
import type { BatchVerdict } from "../../../../src/read/report/Path.ts"
import { batchPart } from "./reports.ts"
import { elementsOf } from "./page/tokens.ts"

const drawn = (svg: string) => elementsOf(`<!doctype html>\n${svg}`)
const low = (n: number, fields = {}) => batchPart(n, { level: "low", ...fields })

describe("the drawing", () => {
  it("has a mark for each batch, which says what the batch came to", () => {
    const svg = drawn(pathChart([0, 1, 2, 3, 4].map((n) => batchPart(n))).text)
    const titles = svg.filter(({ tag }) => tag === "title").map(({ text }) => text)
    assert.strictEqual(titles.length, 1 + 5)
    assert.strictEqual(titles[2], "medium batch 1: clean, 1 of 3 reviews with issues; 1 open, 1 new, 1 gone")
    assert.deepStrictEqual(svg.filter(({ tag }) => tag === "text").slice(0, 4).map(({ text }) => text), [
      "xhigh",
      "high",
      "medium",
      "low"
    ])
  })

  it("tells the verdicts apart by their shapes", () => {
    const shapes =
      (["Clean", "Waived", "Issues", "Failed", "Unfinished"] as const satisfies ReadonlyArray<BatchVerdict>)
        .map((verdict) => dot(verdict, 10, 10, 5).text)
    assert.strictEqual(new Set(shapes.map((text) => text.replace(/ class="[^"]*"/, "").slice(0, 30))).size, 4)
    assert.strictEqual(new Set(shapes).size, 5)
  })

  it("shows the levels alone that the run was at, and no bars without findings", () => {
    const svg = drawn(
      pathChart([low(0, { counts: null, rounds: [] }), low(1, { counts: { open: 0, new: 0, gone: 0 } })]).text
    )
    assert.deepStrictEqual(svg.filter(({ tag }) => tag === "text").map(({ text }) => text), ["low", "1", "2"])
    assert.isEmpty(svg.filter(({ tag }) => tag === "rect"))
  })

  it("shows rounds and restarts, by their numbers while there is room", () => {
    const parts = (count: number) =>
      drawn(
        pathChart(Array.from({ length: count }, (_, n) =>
          low(n, { step: n === 1 ? "Restarted" : "Stayed", rounds: n === 0 ? [1] : n === 2 ? [2, 3] : [] }))).text
      )
    const classed = (svg: ReturnType<typeof drawn>, name: string) =>
      svg.filter(({ attributes }) => attributes.get("class") === name)
    assert.deepStrictEqual(classed(parts(5), "round").map(({ text }) => text), ["R1", "R2+"])
    assert.deepStrictEqual(classed(parts(100), "round").map(({ tag }) => tag), ["line", "line"])
    const [restart, ...more] = classed(parts(5), "restart")
    assert.strictEqual(restart?.attributes.get("x1"), "128")
    assert.isEmpty(more)
    assert.include(pathChart([low(0, { rounds: [1, 2] })]).text, "; answered in round 1, 2")
  })

  it("draws bars to one scale: open and new up, gone down", () => {
    const counts = { open: 4, new: 1, gone: 2 }
    const svg = drawn(pathChart([low(1, { counts })]).text)
    const bars = svg.filter(({ tag }) => tag === "rect").map(({ attributes }) => [
      attributes.get("class"),
      Number(attributes.get("height"))
    ])
    assert.deepStrictEqual(bars, [["bar-open", 48], ["bar-new", 12], ["bar-gone", 24]])
  })

  it("of a thousand batches keeps their marks apart, and numbers only some", () => {
    const svg = drawn(pathChart(Array.from({ length: 1000 }, (_, n) => low(n, { verdict: "Clean" }))).text)
    const xs = svg.filter(({ tag }) => tag === "circle").map(({ attributes }) => Number(attributes.get("cx")))
    assert.strictEqual(xs.length, 1000)
    assert.isTrue(xs.every((x, i) => i === 0 || x - (xs[i - 1] ?? 0) >= 6.9))
    assert.isBelow(svg.filter(({ tag, text }) => tag === "text" && /^\d+$/.test(text)).length, 300)
  })
})
