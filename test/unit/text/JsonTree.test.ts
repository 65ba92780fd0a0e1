// A JSON text with the places of its values: what it takes, what it refuses, and where.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { type JsonNode, memberOf, plainValue, readJsonTree } from "../../../src/text/JsonTree.ts"

const read = (text: string): JsonNode => Result.getOrThrow(readJsonTree(text))

/** Every value of a tree, with the text that stands there. */
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

  it("tells where a member begins and ends", () => {
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
