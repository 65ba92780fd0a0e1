// Parts put into a JSON text and taken out of it: the rest keeps its characters.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  type NewPart,
  addParts,
  type JsonNode,
  memberOf,
  readJsonTree,
  splice,
  removeParts
} from "../../../src/text/JsonTree.ts"

const read = (text: string): JsonNode => Result.getOrThrow(readJsonTree(text))
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
