// index: what an embedder imports: every name of the documentation, and every port under its own key.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as index from "../../src/index.ts"
import * as testing from "../../src/testing.ts"

const guide = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8")

/** The names that the guide's examples import from an entry. */
const imported = (entry: string): ReadonlyArray<string> =>
  [...guide.matchAll(/^import \{ ([^}]+) \} from "([^"]+)"$/gm)]
    .filter(([, , from]) => from === entry)
    .flatMap(([, names = ""]) => names.split(", "))

describe("the entry of the library", () => {
  it("has every name that the guide imports, and so has the test kit", () => {
    for (const [entry, module] of [["ooda-codex-review", index], ["ooda-codex-review/testing", testing]] as const) {
      const names = imported(entry)
      assert.isAbove(names.length, 4)
      assert.includeMembers(Object.keys(module), [...names])
    }
  })

  it("has every port under a key of its own, and nothing of the test kit", () => {
    const keys = Object.values(index).flatMap((value) =>
      typeof value === "function" && "key" in value && typeof value.key === "string" ? [value.key] : []
    )
    assert.isAbove(keys.length, 6)
    assert.strictEqual(new Set(keys).size, keys.length)
    for (const key of keys) assert.match(key, /^ooda-codex-review\/services\/\w+$/)
    for (const name of Object.keys(testing)) assert.notProperty(index, name)
  })
})
