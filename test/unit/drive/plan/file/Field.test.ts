// Field: keys of YAML in every style get a value, and what is around them stays.
import { assert, describe, it } from "vitest"
import { readYaml } from "../../../../../src/drive/plan/file/Yaml.ts"
import { alwaysAs, columnOf, edited, setField, wordOf, type Written } from "../../../../../src/drive/plan/file/Edit.ts"

const set = (yaml: string, value: Written, below: string | null): string => {
  const { root } = readYaml(yaml)
  const node = root?._tag === "List" ? root.items[0] : root ?? undefined
  return edited(yaml, setField(yaml, node, "k", value, below))
}

describe("a key that is there", () => {
  const values: ReadonlyArray<readonly [string, string]> = [
    ["a: 1\nk:   old   # c\n", "a: 1\nk:   new   # c\n"],
    ["k: 'old'\n", "k: 'new'\n"],
    ['k: "old"\n', 'k: "new"\n'],
    ["k: !!str &b old\n", "k: !!str &b new\n"],
    ["k: |-\n  old\n  older\na: 1\n", "k: new\na: 1\n"],
    ["k:\na: 1\n", "k: new\na: 1\n"],
    ["k: \na: 1\n", "k: new\na: 1\n"],
    ["k: # c\na: 1\n", "k: new # c\na: 1\n"],
    ["k:", "k: new"],
    ["k: ~\n", "k: new\n"],
    ["{k: old}", "{k: new}"],
    ['{"k":null}', '{"k":"new"}'],
    ["{k: }", '{k: "new"}'],
    ["? k\n: old\n", "? k\n: new\n"]
  ]
  it.each(values)("in %j", (yaml, expected) => assert.strictEqual(set(yaml, wordOf("new"), null), expected))

  it("may be a flag in any quotes", () => assert.strictEqual(set("k: 'old'", alwaysAs("true"), null), "k: true"))

  it("and has a collection stays", () => assert.strictEqual(set("k: [1]", wordOf("new"), null), "k: [1]"))
})

describe("a key that is missing", () => {
  const yamls: ReadonlyArray<readonly [string, string]> = [
    ["t: 1 # c\n# d\nb: 2\n", "t: 1 # c\nk: new\n# d\nb: 2\n"],
    ["- t: 1\n  b: 2", "- t: 1\n  k: new\n  b: 2"],
    ["-\n    b: 2\n    t: 1", "-\n    b: 2\n    t: 1\n    k: new"],
    ["t: |\n  x\n\nb: 2\n", "t: |\n  x\nk: new\n\nb: 2\n"],
    ["t:\n  x\n  y\nb: 2\n", "t:\n  x\n  y\nk: new\nb: 2\n"],
    ["t: |+\n  x\n\nb: 2\n", "t: |+\n  x\n\nk: new\nb: 2\n"],
    ["- &x t: 1\n  b: 2\n", "- &x t: 1\n  k: new\n  b: 2\n"],
    ["t:\nb: 2\n", "t:\nk: new\nb: 2\n"],
    ["# c\nb: 2\n", "# c\nk: new\nb: 2\n"],
    ["- &x b: 2\n  c: 3\n", "- k: new\n  &x b: 2\n  c: 3\n"],
    ["t: [1]\nb: 2\n", "k: new\nt: [1]\nb: 2\n"],
    ["{t: 1}", '{k: "new", t: 1}'],
    ['{\n  "t": 1\n}', '{\n  "k": "new",\n  "t": 1\n}'],
    ["{ # c\n t: 1}", '{ k: "new", # c\n t: 1}'],
    ["{}", '{k: "new", }']
  ]
  it.each(yamls)("in %j", (yaml, expected) => assert.strictEqual(set(yaml, wordOf("new"), "t"), expected))

  it("comes first where nothing is to stand above it", () =>
    assert.strictEqual(set("t: 1\n", wordOf("new"), null), "k: new\nt: 1\n"))

  it("is not written into what is no mapping", () =>
    assert.deepStrictEqual(setField("a", undefined, "k", wordOf("b"), null), []))
})

it.each([["a: 1", 0], ["# c\n  a: 1", 2]])("the keys of %j are indented by %i", (yaml, column) => {
  const { root } = readYaml(yaml)
  assert.strictEqual(root?._tag === "Mapping" ? columnOf(yaml, root) : null, column)
})
