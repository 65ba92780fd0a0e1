// Version: the package's version is the one in log lines, in the plugin and on top of the changelog.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { version } from "../../../src/platform/Version.ts"

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

describe("version", () => {
  it("is the package's and the plugin's", () => {
    assert.strictEqual(JSON.parse(read("package.json")).version, version)
    assert.strictEqual(JSON.parse(read("plugin/.claude-plugin/plugin.json")).version, version)
  })

  it("is the newest section of the changelog", () =>
    assert.strictEqual(/^## (\S+)/m.exec(read("CHANGELOG.md"))?.[1], version))
})
