// SecondModel: the table of efforts, and the choice of a model.
import { assert, describe, it } from "vitest"
import { effortOf, modelFor, type Models } from "../../../src/hook/SecondModel.ts"

describe("the effort", () => {
  it.each([
    [199, 199, 0, "low"],
    [199, 0, 0, "low"],
    [200, 0, 0, "medium"],
    [0, 200, 0, "medium"],
    [1000, 1000, 0, "medium"],
    [1001, 0, 0, "high"],
    [0, 1001, 0, "high"],
    [10, 10, 1, "high"],
    [10, 10, 2, "xhigh"],
    [9000, 10, 3, "xhigh"]
  ])(
    "of a change of %d characters into %d with %d hints is %s",
    (before, after, hints, effort) =>
      assert.strictEqual(effortOf({ _tag: "Change", size: { before, after }, hints }), effort)
  )

  it.each(
    [
      ["Plan", "high"],
      ["Thinking", "medium"],
      ["BashFailure", "high"],
      ["Stop", "medium"],
      ["PreCompact", "medium"],
      ["Summary", "low"]
    ] as const
  )("of %s is %s", (_tag, effort) => assert.strictEqual(effortOf({ _tag }), effort))
})

describe("the model", () => {
  const none: Models = { override: null, model: null, fastModel: null }

  it("is codex's own if none is named", () => {
    for (const models of [none, { override: "", model: " ", fastModel: "" }]) {
      assert.deepStrictEqual(modelFor(models, "low", true), { model: null, effort: "low" })
    }
  })

  it("is the fast one with at least high effort, on request", () => {
    const models = { ...none, model: "big", fastModel: "small" }
    assert.deepStrictEqual(modelFor(models, "low", true), { model: "small", effort: "high" })
    assert.deepStrictEqual(modelFor(models, "xhigh", true), { model: "small", effort: "xhigh" })
    assert.deepStrictEqual(modelFor(models, "low", false), { model: "big", effort: "low" })
    assert.deepStrictEqual(modelFor({ ...models, fastModel: null }, "low", true), { model: "big", effort: "low" })
  })

  it("is always the override if there is one", () => {
    const models = { override: "mine", model: "big", fastModel: "small" }
    assert.deepStrictEqual(modelFor(models, "low", true), { model: "mine", effort: "low" })
    assert.deepStrictEqual(modelFor(models, "medium", false), { model: "mine", effort: "medium" })
    assert.deepStrictEqual(modelFor({ ...models, override: "small" }, "low", false), { model: "small", effort: "high" })
  })
})
