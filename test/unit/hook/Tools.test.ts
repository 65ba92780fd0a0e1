// Tools: which uses of tools are reviewed, and as what; stored as data in fixtures/hook/tools.json.
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { classifyTool, thinkingStage } from "../../../src/hook/Event.ts"

const table: ReadonlyArray<readonly [string, string, string | null]> = JSON.parse(
  readFileSync(new URL("../../../fixtures/hook/tools.json", import.meta.url), "utf8")
)

describe("the use of a tool", () => {
  it.each(table)(
    "%s of %s is reviewed as %s",
    (event, tool, expected) => assert.strictEqual(classifyTool(event, tool), expected)
  )

  it("may have any name", () =>
    fc.assert(fc.property(fc.string(), fc.string(), (event, tool) => {
      assert.isNull(classifyTool(`x${event}`, tool))
      assert.isNull(classifyTool("PostToolUse", `mcp__${tool.replaceAll("__", "")}`))
    })))

  it("is told of a name of a million characters", () =>
    assert.isNull(classifyTool("PostToolUse", `mcp__${"_a".repeat(500_000)}`)))
})

describe("a thought", () => {
  it.each<[number, number, string]>([
    [1, 3, "early"],
    [2, 3, "mid"],
    [3, 3, "late"],
    [1, 1, "late"],
    [1, 10, "early"],
    [3, 10, "early"],
    [4, 10, "mid"],
    [6, 10, "mid"],
    [7, 10, "late"],
    [12, 10, "late"],
    [0, 5, "early"],
    [1, 0, "mid"],
    [1, -4, "mid"],
    [Number.NaN, 5, "mid"],
    [1, Number.NaN, "mid"],
    [1, Number.POSITIVE_INFINITY, "early"]
  ])("%d of %d is %s", (number, total, stage) => assert.strictEqual(thinkingStage(number, total), stage))
})
