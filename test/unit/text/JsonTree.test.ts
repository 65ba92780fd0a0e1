// JsonTree: a JSON text with the places of its values, and edits that keep every other character.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  addParts,
  type JsonNode,
  memberOf,
  type NewPart,
  plainValue,
  readJsonTree,
  removeParts,
  splice
} from "../../../src/text/JsonTree.ts"

const read = (text: string): JsonNode => Result.getOrThrow(readJsonTree(text))

/** Every value of a tree, with its text. */
const places = (text: string, node: JsonNode): ReadonlyArray<readonly [string, unknown]> => [
  [text.slice(node.start, node.end), plainValue(node)],
  ...(node._tag === "Array" ? node.items.flatMap((item) => places(text, item)) : []),
  ...(node._tag === "Object" ? node.members.flatMap(({ value }) => places(text, value)) : [])
]

describe("a JSON text", () => {
  it.each([
    "{}",
    "[]",
    "null",
    ' { "a" : [ 1 , -2.5e3 , "x\\n\\u00e9" , true , null , { } ] } ',
    '\n{\r\n\t"a": {"b": []},\n"a": 2}\n',
    '"\\"{[,:"'
  ])("is read as by JSON.parse, each value at its place: %s", (text) => {
    const node = read(text)
    assert.deepStrictEqual(plainValue(node), JSON.parse(text))
    for (const [there, value] of places(text, node)) assert.deepStrictEqual(JSON.parse(there), value)
  })

  it("may begin with a byte order mark", () => assert.deepStrictEqual(plainValue(read("\uFEFF[1]")), [1]))

  it("says where a member begins and ends", () => {
    const text = '{"a": 1, "b" : [2] }'
    const { end, start } = memberOf(read(text), "b") ?? assert.fail("no b")
    assert.strictEqual(text.slice(start, end), '"b" : [2]')
  })

  it("has the last of several members with one key", () =>
    assert.deepInclude(memberOf(read('{"a":1,"a":2}'), "a")?.value, { value: 2 }))

  it("has no members where it is no object", () => {
    assert.isUndefined(memberOf(read("[1]"), "a"))
    assert.isUndefined(memberOf(undefined, "a"))
  })

  it("keeps a key that objects have by themselves", () =>
    assert.deepStrictEqual(Object.keys(plainValue(read('{"__proto__":1}')) ?? {}), ["__proto__"]))
})

describe("a text that is no JSON", () => {
  it.each([
    ["", 1],
    ["{", 1],
    ['{"a":1,}', 1],
    ["[1,]", 1],
    ["[1 22]", 1],
    ['{"a" 1}', 1],
    ["{a: 1}", 1],
    ["{1: 1}", 1],
    ['{\n  "a": 1\n  "b": 2\n}', 3],
    ["{}\n// no\n", 2],
    ["{}{}", 1],
    ["01", 1],
    ['"\t"', 1],
    ['"\\x"', 1],
    ["'a'", 1],
    ["[".repeat(200) + "]".repeat(200), 1]
  ])(
    "is refused with its line: %j",
    (text, line) => assert.deepStrictEqual(readJsonTree(text), Result.fail(`malformed JSON on line ${line}`))
  )
})

const lacking = (text: string, ...gone: ReadonlyArray<number>) => splice(text, removeParts(read(text), new Set(gone)))
const adding = (text: string, ...parts: ReadonlyArray<NewPart>) => splice(text, [addParts(text, read(text), parts)])

describe("without", () => {
  it.each<readonly [string, ReadonlyArray<number>, string]>([
    ["[1, 2, 3]", [], "[1, 2, 3]"],
    ["[1, 2, 3]", [0], "[2, 3]"],
    ["[1, 2, 3]", [1], "[1, 3]"],
    ["[1, 2, 3]", [2], "[1, 2]"],
    ["[1, 2, 3]", [0, 1], "[3]"],
    ["[1, 2, 3]", [0, 2], "[2]"],
    ["[1, 2, 3, 4]", [1, 2], "[1, 4]"],
    ["[1, 2, 3]", [0, 1, 2], "[]"],
    ["[ ]", [], "[ ]"],
    ['{\n  "a": 1,\n  "b": 2\n}', [0], '{\n  "b": 2\n}'],
    ['{\n  "a": 1,\n  "b": 2\n}', [1], '{\n  "a": 1\n}'],
    ["7", [0], "7"]
  ])("%j without %j", (text, gone, rest) => assert.strictEqual(lacking(text, ...gone), rest))
})

describe("added", () => {
  const value = { k: [1] }

  it("lays a part out as its neighbours are", () => {
    assert.strictEqual(
      adding('{\n    "a": 1\n}\n', { key: "b", value }),
      '{\n    "a": 1,\n    "b": {\n        "k": [\n            1\n        ]\n    }\n}\n'
    )
    assert.strictEqual(
      adding('{\r\n\t"a": 1\r\n}', { key: "b", value: [1] }),
      '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t1\r\n\t]\r\n}'
    )
    assert.strictEqual(adding('{"a": 1}', { key: "b", value }), '{"a": 1,"b": {"k":[1]}}')
    assert.strictEqual(adding("[1, 2]", { value: 3 }, { value: 4 }), "[1, 2, 3, 4]")
  })

  it("gives a value that is empty lines of its own where the text has lines", () => {
    assert.strictEqual(adding("{}\n", { key: "a", value: 1 }), '{\n  "a": 1\n}\n')
    assert.strictEqual(adding("{ \n }", { key: "a", value: 1 }), '{\n  "a": 1\n}')
    const text = '{\n  "a": []\n}'
    const list = memberOf(read(text), "a")?.value ?? assert.fail("no a")
    assert.strictEqual(splice(text, [addParts(text, list, [{ value: 1 }])]), '{\n  "a": [\n    1\n  ]\n}')
    const short = '{"a":[]}'
    const empty = memberOf(read(short), "a")?.value ?? assert.fail("no a")
    assert.strictEqual(splice(short, [addParts(short, empty, [{ value: 1 }])]), '{"a":[1]}')
  })

  it("keeps a byte order mark", () =>
    assert.strictEqual(adding("\uFEFF{}", { key: "a", value: 1 }), '\uFEFF{\n  "a": 1\n}'))
})
