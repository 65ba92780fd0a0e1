// Reading: values by their types, and the faults of others.
import { assert, describe, it } from "vitest"
import { type Fault, readYaml } from "../../../../../src/drive/plan/file/Yaml.ts"
import { fieldsOf, flag, listOf, orNull, type Read, reference, text } from "../../../../../src/drive/plan/file/Parse.ts"

const read = <A>(reader: Read<A>, yaml: string): readonly [A, ReadonlyArray<string>] => {
  const { root } = readYaml(yaml)
  if (root === null) assert.fail("no root")
  const faults: Array<Fault> = []
  const value = reader(root, "x", faults)
  return [value, faults.map(({ at, remedy, says }) => `${at} ${says} [${remedy}]`)]
}

const quotes = "[write a text, in quotes where it looks like something else]"

describe("a value", () => {
  const values: ReadonlyArray<readonly [string, Read<unknown>, string, unknown, ReadonlyArray<string>]> = [
    ["text", text, "a", "a", []],
    ["text", text, "1", "", [`0 x is 1 ${quotes}`]],
    ["flag", flag, "true", true, []],
    ["flag", flag, "~", false, ["0 x is empty [write true or false]"]],
    ["reference", reference, "0", 0, []],
    ["reference", reference, "a", "a", []],
    ["reference", reference, ".inf", 0, ["0 x is Infinity [write a number or a text]"]],
    ["text or nothing", orNull(text), "~", null, []],
    ["text or nothing", orNull(text), "[]", "", [`0 x is a list ${quotes}`]],
    ["list", listOf(text, "texts"), "~", [], []],
    ["list", listOf(text, "texts"), "[a, 1]", ["a", ""], [`4 x[1] is 1 ${quotes}`]],
    ["list", listOf(text, "texts"), "a", [], ['0 x is "a" [write a list of texts]']]
  ]
  it.each(values)(
    "as a %s",
    (_, reader, yaml, value, faults) => assert.deepStrictEqual(read(reader, yaml), [value, faults])
  )
})

describe("fields", () => {
  const fields: Read<unknown> = (node, path, faults) => {
    const { field, others, required } = fieldsOf(node, path, "its keys", faults)
    return [required("a", text, "none"), field("b", text, "absent"), others(new Set(["a", "b"]))]
  }

  it("are known, left out or others", () =>
    assert.deepStrictEqual(read(fields, "a: c\nd: {e: [1]}"), [["c", "absent", { d: { e: [1] } }], []]))

  it("have the path of their mapping in an error", () =>
    assert.deepStrictEqual(read(fields, "a: 1"), [["", "absent", {}], [`3 x.a is 1 ${quotes}`]]))

  it("that are required are missed", () =>
    assert.deepStrictEqual(read(fields, "b: c"), [["none", "c", {}], ["0 x has no a [add the key a]"]]))

  it("stand in a mapping alone", () => assert.strictEqual(read(fields, "- a")[1][0], "0 x is a list [write its keys]"))
})
