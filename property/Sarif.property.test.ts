// Sarif: whatever reviewers wrote, the log is one line of valid JSON that keeps to the schema.
// It is judged by the published schema and by what a consumer does with it.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { sarif } from "../src/review/findings/formats/Sarif.ts"
import { lines } from "../src/text/Untrusted.ts"
import { sarifProblems } from "../test/support/sarifSchema.ts"
import { hostileReport, unprintable } from "./hostile.ts"

/** Every text under a name, at any depth. */
const named = (value: unknown, name: string): ReadonlyArray<unknown> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, held]) => [...(key === name ? [held] : []), ...named(held, name)])

describe("sarif", () => {
  it("keeps to the schema", () =>
    fc.assert(fc.property(hostileReport, (report) => {
      const text = sarif(report, "1.0.0")
      assert.lengthOf(lines(text), 2)
      assert.notMatch(text.trimEnd(), unprintable)
      assert.deepStrictEqual(sarifProblems(JSON.parse(text)), [])
    })))

  it("points nowhere but into the repository", () =>
    fc.assert(fc.property(hostileReport, (report) => {
      const root = new URL("file:///repo/")
      for (const uri of named(JSON.parse(sarif(report, "1")), "uri")) {
        const resolved = new URL(String(uri), root)
        assert.strictEqual(resolved.protocol, "file:")
        assert.isTrue(resolved.pathname.startsWith("/repo/"), String(uri))
        assert.strictEqual(resolved.search + resolved.hash, "")
      }
    })))

  it("holds no placeholder and no link in a message", () =>
    fc.assert(fc.property(hostileReport, (report) => {
      for (const text of named(JSON.parse(sarif(report, "1")), "text")) {
        const literal = String(text).replaceAll("{{", "<").replaceAll("}}", ">")
        assert.notMatch(literal, /[{}]|\]\(/)
      }
    })))

  it("says that the execution failed exactly when a slot has no review and nothing was found", () =>
    fc.assert(fc.property(hostileReport, (report) => {
      const { batch, findings } = report
      const [successful] = named(JSON.parse(sarif(report, "1")), "executionSuccessful")
      const isFound = findings.length + batch.unlisted.length > 0
      assert.strictEqual(successful, isFound || batch.started.slots.every(({ _tag }) => _tag === "Finished"))
    })))
})
