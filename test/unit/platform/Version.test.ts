// Version: the version that lines of a log are signed with is the package's.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { version } from "../../../src/platform/Version.ts"

describe("version", () => {
  it("is the package's own", () => {
    const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
    assert.strictEqual(version, JSON.parse(text).version)
  })
})
