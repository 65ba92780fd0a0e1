// testing: what a test of an embedder imports: the kit under the names of its guide.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as testing from "../../src/testing.ts"

const guide = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8")

describe("the test kit", () => {
  it("has every name that the guide imports", () => {
    const names = [...guide.matchAll(/^import \{ ([^}]+) \} from "ooda-codex-review\/testing"$/gm)]
      .flatMap(([, found = ""]) => found.split(", "))
    assert.isAbove(names.length, 4)
    assert.includeMembers(Object.keys(testing), [...names])
  })
})
