// Protected.live: what a file of instructions imports. What is compared is in Snapshots.live.
import { assert, describe, it } from "vitest"
import { importsOf } from "../../../src/code/Protected.live.ts"

describe("importsOf", () => {
  it("names what Claude Code would read, from the folder of the file", () => {
    const text = "@a.md and @./b.md, (@no.md) x@no.md @../up.md @sub/c\\ d.md#part\n@~/no.md @/no.md\n"
    assert.deepStrictEqual([...new Set(importsOf("docs/CLAUDE.md", text))].filter((path) => !path.endsWith(",")), [
      "docs/a.md",
      "docs/b.md",
      "up.md",
      "docs/sub/c d.md"
    ])
    assert.deepStrictEqual(importsOf("CLAUDE.md", "@../no.md"), [])
  })

  it("ignores code", () => {
    const text = "`@a.md`\n```sh\n@b.md\n```\n@c.md\n~~~\n@d.md\n"
    assert.deepStrictEqual(new Set(importsOf("CLAUDE.md", text)), new Set(["c.md"]))
  })
})
