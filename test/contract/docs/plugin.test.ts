// The files of the plugin: its hooks match the table, its names and versions match the package.
// Hooks.json is never edited by hand; UPDATE_DOCS=1 writes it.
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { defaultGate, hookTable } from "../../../src/hook/Table.ts"

const root = resolve(import.meta.dirname, "../../..")
const json = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))

describe("the plugin", () => {
  it("has the hooks of the table", () => {
    const path = join(root, "plugin", "hooks", "hooks.json")
    const made = `${JSON.stringify({ hooks: hookTable(defaultGate) }, null, 2)}\n`
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, made)
    assert.strictEqual(readFileSync(path, "utf8"), made)
  })

  it("has the version of the program, and comes with its package", () => {
    const { files, version } = json("package.json")
    assert.strictEqual(json("plugin/.claude-plugin/plugin.json").version, version)
    assert.includeMembers(files, ["plugin", ".claude-plugin"])
  })

  it("is what the marketplace offers", () => {
    const [offered] = json(".claude-plugin/marketplace.json").plugins
    assert.deepInclude(offered, { name: json("plugin/.claude-plugin/plugin.json").name, source: "./plugin" })
  })
})
