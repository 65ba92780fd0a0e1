// JsonObjects: JSON objects in a text with prose and fences around them.
import { assert, describe, it } from "vitest"
import { jsonObjects } from "../../../../src/review/verdict/JsonReview.ts"

describe("jsonObjects", () => {
  it("is not misled by braces in strings or by prose", () =>
    assert.deepStrictEqual(jsonObjects('if {x} then { "a": "}{\\"" } end').objects, [{ a: '}{"' }]))
  it("gives up on unbalanced braces without losing the text", () =>
    assert.strictEqual(jsonObjects('{"a": {"b":').around, '{"a": {"b":'))

  it("finds every object that is not inside another one, with the text around them", () =>
    assert.deepStrictEqual(jsonObjects('a {"x": {"y": 1}} b {"z": 2} c'), {
      objects: [{ x: { y: 1 } }, { z: 2 }],
      around: "a \n b \n c",
      ambiguous: false
    }))

  it("looks behind a few braces that open nothing, and ignores what follows more of them", () => {
    const behind = (braces: number) => jsonObjects(`${'{"" '.repeat(braces)}{"a": 1}`).objects
    assert.deepStrictEqual(behind(11), [{ a: 1 }])
    assert.deepStrictEqual(behind(12), [])
  })

  it("has no list for an object", () => assert.deepStrictEqual(jsonObjects("[1]").objects, []))
})
