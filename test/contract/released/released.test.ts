// What a version promises is kept by every later version of its line: flags, exit codes, documents, exports.
// `UPDATE_RELEASED=1` writes the record of a line; after its first release that is done for additions alone.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { lost, type Schema } from "./keeps.ts"
import { promisedIn, promisedNow, recordOf, root, versionNow } from "./promised.ts"

const now = await promisedNow()
const record = recordOf(versionNow)
if (process.env["UPDATE_RELEASED"] === "1") writeFileSync(join(root, record), `${JSON.stringify(now)}\n`)

const gone = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) =>
  before.filter((one) => !after.includes(one))

describe("the promises of this line", () => {
  it("are on record", () => assert.isTrue(existsSync(join(root, record)), `${record}: UPDATE_RELEASED=1 writes it`))

  it("hold: flags, arguments, exit codes, exports, inputs and outputs of the action", () => {
    const before = promisedIn(record)
    assert.deepStrictEqual(gone(before.flags, now.flags), [])
    assert.deepStrictEqual(gone(before.arguments, now.arguments), [])
    assert.deepStrictEqual(gone(before.action, now.action), [])
    assert.deepStrictEqual(gone(before.exports, now.exports), [])
    for (const [name, code] of Object.entries(before.exits)) assert.strictEqual(now.exits[name], code, name)
  })

  it("hold: every document can be read by its earlier schema", () => {
    for (const [name, schema] of Object.entries(promisedIn(record).schemas)) {
      const after = now.schemas[name]
      assert.isDefined(after, name)
      if (after !== undefined) assert.deepStrictEqual(lost(schema, after, name), [])
    }
  })

  it("are told in the changelog, whose newest section is the version that is being made", () => {
    const log = readFileSync(join(root, "CHANGELOG.md"), "utf8")
    const [, newest] = /^## (\S+)/m.exec(log) ?? []
    assert.strictEqual(newest, versionNow)
    assert.match(readFileSync(join(root, "docs/versioning.md"), "utf8"), /CHANGELOG\.md/)
  })
})

describe("a reader", () => {
  const text = { type: "string" }
  const object = (properties: Record<string, Schema>, required = Object.keys(properties)) => ({
    type: "object",
    properties,
    required
  })
  const old = object({
    a: text,
    b: { anyOf: [text, { type: "null" }] },
    c: { type: "array", items: object({ d: text }) }
  })

  it.each<readonly [string, Schema]>([
    ["another field", object({ ...old.properties, e: text })],
    ["another kind of object in a list", {
      ...old,
      properties: {
        ...old.properties,
        c: { type: "array", items: { anyOf: [object({ d: text }), object({ f: text })] } }
      }
    }],
    ["a value that is never null any more", { ...old, properties: { ...old.properties, b: text } }]
  ])("misses nothing for %s", (_, now) => assert.deepStrictEqual(lost(old, now, "it"), []))

  it.each<readonly [string, Schema, string]>([
    ["a field that is gone", object({ a: text, b: text }), "it.c may be missing"],
    ["a field that may be missing", object(old.properties, ["a", "b"]), "it.c may be missing"],
    [
      "a field that may be null",
      { ...old, properties: { ...old.properties, a: { anyOf: [text, { type: "null" }] } } },
      "it.a may be null now"
    ],
    ["another type", { ...old, properties: { ...old.properties, a: { type: "integer" } } }, "it.a may be number now"],
    [
      "a field of a list",
      { ...old, properties: { ...old.properties, c: { type: "array", items: object({}) } } },
      "it.c[].d may be missing"
    ]
  ])("misses %s", (_, now, problem) => assert.include(lost(old, now, "it"), problem))
})
