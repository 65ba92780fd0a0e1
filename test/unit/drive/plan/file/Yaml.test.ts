// Yaml: trees with the place of every value, and data made of them.
import { assert, describe, it } from "vitest"
import { type Node, plainValue, readYaml, shown } from "../../../../../src/drive/plan/file/Yaml.ts"

const rootOf = (text: string): Node => {
  const { faults, root } = readYaml(text)
  assert.deepStrictEqual(faults, [])
  if (root === null) assert.fail("no root")
  return root
}

describe("a tree", () => {
  it("knows the place of each value, also of one that is left out", () =>
    assert.deepStrictEqual(rootOf("a: [1, x]\nb:\n"), {
      _tag: "Mapping",
      at: 0,
      fields: new Map<string, Node>([
        ["a", {
          _tag: "List",
          at: 3,
          items: [{ _tag: "Scalar", at: 4, end: 5, value: 1 }, { _tag: "Scalar", at: 7, end: 8, value: "x" }]
        }],
        ["b", { _tag: "Scalar", at: 12, end: 12, value: null }]
      ])
    }))

  it("of no value has no root", () => assert.deepStrictEqual(readYaml("# a\n"), { root: null, faults: [] }))

  it("goes 64 levels deep", () => {
    assert.deepStrictEqual(readYaml(`${"[".repeat(64)}1${"]".repeat(64)}`).faults, [])
    assert.deepStrictEqual(readYaml(`${"[".repeat(65)}${"]".repeat(65)}`).faults.map(({ at }) => at), [64])
  })

  it("is as the text says where the same key stands in two mappings", () =>
    assert.deepStrictEqual(plainValue(rootOf("a: {b: 1}\nc: {b: 2}")), { a: { b: 1 }, c: { b: 2 } }))

  it("gives keys that are no texts as they are written", () =>
    assert.deepStrictEqual(plainValue(rootOf("1: a\nnull: b\ntrue: c\n0x1F: d\n")), {
      1: "a",
      null: "b",
      true: "c",
      "0x1F": "d"
    }))
})

describe("an error", () => {
  const values: ReadonlyArray<readonly [string, string]> = [
    ["~", "empty"],
    ["a b", '"a b"'],
    ["1.50", "1.5"],
    [".inf", "Infinity"],
    ["true", "true"],
    ["{}", "a mapping"],
    ["- a", "a list"],
    ['"a\\nb\\u202e"', '"a\\nb\\u202e"'],
    ["x".repeat(99), `"${"x".repeat(56)}...`]
  ]
  it.each(values)("shows %j as %s", (text, expected) => assert.strictEqual(shown(rootOf(text)), expected))
})
