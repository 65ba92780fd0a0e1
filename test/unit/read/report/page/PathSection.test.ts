// The section of a run's path: a table of batches and one of levels.
import { assert, describe, it } from "vitest"
import { pathSection } from "../../../../../src/read/report/page/Path.ts"
import { batchPart } from "../reports.ts"

const used = { input: 12_000, cached: 0, output: 800, reasoning: 0 }
const none = { input: 0, cached: 0, output: 0, reasoning: 0 }
const levels = [{ level: "low", batches: 2, reviews: 6, millis: 90_000, used }] as const

describe("the section", () => {
  it("tells each batch in a table", () => {
    const { text } = pathSection({
      batches: [batchPart(0), batchPart(1, { reviews: 2, used: none })],
      levels,
      agents: none
    })
    assert.include(
      text,
      `<td class="number">1</td><th scope="row">low batch 1</th><td class="short">begins</td>`
    )
    assert.include(text, `<td class="number">0 of 3</td>`)
    assert.include(text, `<td class="number">1 of 2 (3 wanted)</td><td>1`)
    assert.include(
      text,
      `<td class="short">2030-01-01 00:01:00</td><td class="number">-</td><td class="number">45s</td><td class="number">-</td>`
    )
    assert.include(text, `<td>1; about 1 more, 0 to 2</td>`)
    assert.notInclude(text, "<details")
  })

  it("folds a long table", () => {
    const batches = Array.from({ length: 41 }, (_, n) => batchPart(n))
    assert.include(pathSection({ batches, levels, agents: none }).text, "<summary>41 batches</summary>")
  })

  it("tells time and tokens of each level, and of agents where there were some", () => {
    const part = { batches: [batchPart(0)], levels }
    assert.include(pathSection({ ...part, agents: used }).text, `<th scope="row">agents</th>`)
    const { text } = pathSection({ ...part, agents: none })
    assert.notInclude(text, `<th scope="row">agents</th>`)
    assert.include(text, `<td class="number">1m 30s</td><td class="number">12k</td><td class="number">800</td>`)
  })

  it("says that no batch has begun", () =>
    assert.include(pathSection({ batches: [], levels: [], agents: none }).text, "No batch has begun yet."))
})
