// Ignore: wildcards, case and hostile patterns. `property/Ignore.property.test.ts` compares all rules with git itself.
import { assert, describe, it } from "vitest"
import { isIgnored, parseRules } from "../../../src/code/Ignore.ts"

/** Which of some paths the rules of a file at the root ignore; those that end in `/` are directories. */
const ignored = (content: string, paths: ReadonlyArray<string>, fold = false): ReadonlyArray<string> => {
  const rules = parseRules(content, "", fold)
  return paths.filter((path) => {
    const isDirectory = path.endsWith("/")
    const own = isDirectory ? path.slice(0, -1) : path
    return isIgnored([rules], own, own.slice(own.lastIndexOf("/") + 1), isDirectory, fold)
  })
}
/** Rules, the paths that they ignore, and some that they do not. */
const judges = (content: string, yes: ReadonlyArray<string>, no: ReadonlyArray<string>, fold = false): void =>
  assert.deepStrictEqual(ignored(content, [...yes, ...no], fold), yes)

describe("wildcards", () => {
  it("? and * stop at a slash", () => {
    judges("a?c", ["abc", "a\xffc"], ["ac", "a/c"])
    judges("x/*", ["x/a"], ["x/y/a"])
    judges("*.c", ["a.c", ".c"], ["a.o", "a.c/b"])
    judges("a*/b", ["a/b", "ax/b"], ["a/x/b", "ax/y/b"])
  })
  it("** between slashes is any directories, or none", () => {
    judges("**/a/b", ["a/b", "x/y/a/b"], ["xa/b"])
    judges("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "ab"])
    judges("a/**", ["a/x", "a/x/y"], ["a", "b/x"])
    judges("**/a", ["a", "x/a", "x/y/a"], ["xa"])
    judges("/**\\/a", ["x/a", "x/y/a"], ["a"])
  })
  it("** elsewhere is *", () => judges("/x/a**b", ["x/ab", "x/axb"], ["x/a/b"]))
  it("** after plain bytes is directories, as for git", () => judges("a**/b", ["ab", "a/b", "ax/b", "ax/y/b"], ["b"]))
  it("in brackets are sets of bytes", () => {
    judges("[ab]\n[x-z]1", ["a", "b", "y1"], ["c", "w1", "[ab]"])
    judges("[!ab]\n[^c]1", ["c", "\xff", "a1"], ["a", "b", "c1"])
    judges("[]-]\n[a-]1\n[\\]x]2", ["]", "-", "a1", "-1", "]2", "x2"], ["b1", "a2"])
    judges("[[:digit:][:upper:]]", ["1", "A"], ["a", ":"])
    judges("[[:space:]]", [" ", "\t", "\r"], ["\v", "\f"])
    judges("[[:a]", ["[", ":", "a"], ["b"])
    judges("x[/]y\nx[!a]z", ["xbz"], ["x/y", "x/z"])
  })
  it("after a backslash are bytes", () => judges("\\*\n\\[a]\na\\b", ["*", "[a]", "ab"], ["x", "a", "a\\b"]))
  it("that do not end or have no meaning match nothing", () => {
    for (
      const pattern of [
        "[a",
        "[",
        "[!",
        "[a-",
        "[]",
        "[[:a",
        "[[:word:]]",
        "[a[:word:]]",
        "[[:constructor:]]",
        "[[::]]",
        "a\\",
        "a[\\"
      ]
    ) {
      judges(pattern, [], [pattern, "a", "[", "a\\", "w", "]"])
    }
  })
})

describe("core.ignoreCase", () => {
  it("lets ASCII letters match in either case", () => {
    judges("Ab\nx/*Y\n*.LOG\n\xe9", ["aB", "X/zy", "a.log", "\xe9"], ["\xc9"], true)
    judges("[A-Z]1\n[[:upper:]]2", ["a1", "A1", "b2", "B2"], ["1"], true)
  })
  it("does not reach letters after a backslash or alone in a set, as for git", () =>
    judges("\\A\n[B]\n[c]", ["c", "C"], ["a", "A", "b", "B"], true))
  it("that is off makes case matter", () => judges("Ab\n[A-Z]1", ["Ab", "A1"], ["ab", "a1"]))
})

describe("a hostile pattern", () => {
  const ends = (pattern: string, path: string) => judges(pattern, [], [path])
  it("of many stars ends", () => ends("*a".repeat(1_000) + "b", "a".repeat(4_000)))
  it("of many ** ends", () => ends("**/a/".repeat(30) + "**/b*c", `${"a/".repeat(2_000)}bd/c`))
  it("of half a million classes in one set ends", () => {
    const begun = performance.now()
    ends(`[${"[:".repeat(500_000)}a]`, "z")
    assert.isBelow(performance.now() - begun, 5000)
  })
  it("of a million blanks or backslashes ends", () => {
    ends(`a${" ".repeat(1_000_000)}b`, "a")
    ends(`a${"\\".repeat(1_000_000)} `, "a")
  })
})
