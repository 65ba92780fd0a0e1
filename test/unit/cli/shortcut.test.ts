// What is answered without a parser, and that answering it loads nothing.
// Rule: the price of help is what its modules import, so their imports are followed, not timed.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { shortcut } from "../../../src/cli/argv.ts"
import { usage } from "../../../src/cli/usage.ts"
import { version } from "../../../src/platform/Version.ts"

describe("the shortcut", () => {
  it("answers help and version, and leaves the rest", () => {
    assert.deepEqual(shortcut(["--bogus", "--help"]), { _tag: "Help", text: usage })
    assert.deepEqual(shortcut(["--version"]), { _tag: "Version", text: version })
    for (const argv of [[], ["--version", "--json"], ["--uncommitted"], ["--base", "--help"], ["--", "-h"]]) {
      assert.isNull(shortcut(argv))
    }
  })

  it("loads no package", () => {
    const seen = new Set<string>()
    const packages: Array<string> = []
    const follow = (url: URL): void => {
      if (seen.has(url.href)) return
      seen.add(url.href)
      for (const [statement, from = ""] of readFileSync(url, "utf8").matchAll(/^import [^"]*"([^"]+)"/gm)) {
        if (statement.startsWith("import type ")) continue
        if (from.startsWith(".")) follow(new URL(from, url))
        else packages.push(from)
      }
    }
    follow(new URL("../../../src/cli/argv.ts", import.meta.url))
    assert.deepEqual(packages, [])
    assert.isAbove(seen.size, 4)
  })
})
