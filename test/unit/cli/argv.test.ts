// argv: one word a flag in front of effect/cli, texts repeated on one line, and what is answered without a parser.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { named, normalise, quote, shortcut } from "../../../src/cli/argv.ts"
import { usageOn } from "../../../src/cli/usage.ts"
import { version } from "../../../src/platform/Version.ts"

const usage = usageOn(null)

const words = (line: string): ReadonlyArray<string> => normalise(line.split(" ")).words

describe("normalise", () => {
  const rewritten: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["--uncommitted --fresh", ["--uncommitted", "--fresh"]],
    ["--base main", ["--base=main"]],
    ["--base=main", ["--base=main"]],
    ["--base =main", ["--base==main"]],
    ["--base -- --fresh", ["--base=--", "--fresh"]],
    ["--base --base --base", ["--base=--base", "--base"]],
    ["-n 4", ["-n=4"]],
    ["-n4", ["-n=4"]],
    ["-n=4", ["-n=4"]],
    ["-n==4", ["-n==4"]],
    ["-n -4", ["-n=-4"]],
    ["-n", ["-n"]],
    ["--frsh --base x", ["--frsh"]],
    ["-frsh", ["--frsh"]],
    ["--frsh=1", ["--frsh"]],
    ["--fresh x --base y", ["--fresh", "--", "x"]],
    ["--fresh -- -x y", ["--fresh", "--", "-x"]],
    ["--fresh --", ["--fresh"]],
    ["--fresh=1 --json", []],
    ["-fresh --json", []]
  ]
  it.each(rewritten)("%s", (line, expected) => {
    assert.deepEqual(words(line), expected)
  })

  const given = (...argv: ReadonlyArray<string>) => {
    const found = normalise(argv).given
    return found === null ? null : Object.fromEntries(found)
  }

  it("reads values whole and switches as the empty text", () => {
    const expected = { "--fresh": "", "--base": "=a b", "-n": "4", "--codex-bin": "" }
    assert.deepEqual(given("--fresh", "--base==a b", "-n4", "--codex-bin="), expected)
    assert.deepEqual(given(), {})
  })

  it.each([
    ["--base"],
    ["--base x --base y"],
    ["--fresh --json --fresh"],
    ["-n4 -n 4"],
    ["--frsh"],
    ["--fresh x"],
    ["--fresh -- x"],
    ["--fresh=1"]
  ])("reads nothing where there is a mistake: %s", (line) => assert.isNull(given(...line.split(" "))))

  it("asks effect/cli about no name longer than any flag could be meant by", () => {
    assert.deepEqual(words(`--${"x".repeat(65)}`), [])
    assert.lengthOf(words(`--${"x".repeat(64)}`), 1)
  })
})

describe("a text from the command line", () => {
  it("is repeated as it is where it is plain", () => {
    assert.strictEqual(named("--base"), "--base")
    assert.strictEqual(quote("a b"), '"a b"')
  })

  it("is one line", () => assert.strictEqual(quote("a\nb\u2028c\u001b[31m"), '"a\\nb\\u2028c\\u001b[31m"'))

  it("is short, and says that it continues", () => {
    assert.isBelow(named("x".repeat(5000)).length, 100)
    assert.match(named("x".repeat(5000)), /^x+\.\.\.$/)
  })

  it("holds no half of a character", () => {
    assert.isTrue(named(`${"x".repeat(79)}\u{1f600}`).isWellFormed())
    assert.isTrue(named("\ud800").isWellFormed())
  })
})

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
