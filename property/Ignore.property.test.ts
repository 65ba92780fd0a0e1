// Ignore: what our port of git's ignore rules says is what git says, for random patterns and in random repositories.
// Names are strings of one character for each byte, as in the port.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type IgnoreRules, isIgnored, parseRules } from "../src/code/Ignore.ts"

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 40)
const timeout = 240_000 + numRuns * 1_000
const bytes = (latin1: string): Buffer => Buffer.from(latin1, "latin1")

let repo = ""
const at = (path: string): Buffer => Buffer.concat([Buffer.from(`${repo}/`), bytes(path)])
const write = (path: string, content: string): void => {
  mkdirSync(at(path.slice(0, Math.max(path.lastIndexOf("/"), 0))), { recursive: true })
  writeFileSync(at(path), bytes(content))
}
const empty = (): void => {
  for (const name of readdirSync(bytes(repo), "buffer")) {
    if (name.toString() !== ".git") rmSync(at(name.toString("latin1")), { recursive: true })
  }
  rmSync(at(".git/index"), { force: true })
}
const git = (args: ReadonlyArray<string>, input: string): ReadonlyArray<string> => {
  const env = { PATH: process.env["PATH"], HOME: repo, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
  const done = execFileSync("git", args, { cwd: repo, env, input: bytes(input), maxBuffer: 1 << 28 })
  return done.toString("latin1").split("\0").filter((path) => path !== "")
}
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
const upperCase = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())
const withNul = (paths: ReadonlyArray<string>): string => paths.map((path) => `${path}\0`).join("")

beforeAll(() => {
  repo = mkdtempSync(join(tmpdir(), "ooda-ignore-"))
  git(["init", "-q"], "")
})
afterAll(() => rmSync(repo, { recursive: true, force: true }))

const isName = (name: string): boolean => !["", ".", ".."].includes(name) && !/^(?:\.git|git~1)/i.test(name)
const isPath = (path: string): boolean => path.split("/").every(isName) && !/[\0]/.test(path)

describe("a pattern", () => {
  const letters = fc.constantFrom(..."aAbBzZ.-_ ^!#]\t\v\f\r\n\x7f\xe9\xc9\xff")
  const texts = fc.string({ unit: letters, maxLength: 3 })
  const deepTexts = fc.array(texts, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"))
  const className = fc.constantFrom(
    ..."alnum alpha blank cntrl digit graph lower print punct space upper xdigit word Alpha constructor".split(" ")
  )
  const setParts = fc.oneof(
    letters,
    fc.tuple(letters, letters).map((ends) => ends.join("-")),
    className.map((name) => `[:${name}:]`),
    fc.constantFrom(
      "a-z",
      "A-Z",
      "Y-b",
      "-",
      "[",
      "\\]",
      "\\-",
      "\\\\",
      "[:",
      ":]",
      "[:a",
      "[::]",
      "/",
      "b-\\z",
      "!",
      "^"
    )
  )
  const sets = fc.tuple(
    fc.constantFrom("", "", "!", "^"),
    fc.array(setParts, { maxLength: 3 }),
    fc.constantFrom("]", "]", "]", "]", "")
  )
  /** A part of a pattern, with a text that it may match. */
  const parts: fc.Arbitrary<readonly [string, string]> = fc.oneof(
    letters.map((letter) => [letter, letter] as const),
    letters.map((letter) => [lowerCase(letter), upperCase(letter)] as const),
    letters.map((letter) => [upperCase(letter), lowerCase(letter)] as const),
    letters.map((letter) => [`\\${letter}`, letter] as const),
    fc.constantFrom(["/", "/"] as const, ["/", "/"] as const, ["\\/", "/"] as const, ["\\", "\\"] as const),
    letters.map((letter) => ["?", letter] as const),
    texts.map((text) => ["*", text] as const),
    deepTexts.map((text) => ["**", text] as const),
    deepTexts.map((text) => ["/**/", `/${text}/`] as const),
    fc.constant(["/**/", "/"] as const),
    deepTexts.map((text) => ["**/", `${text}/`] as const),
    fc.tuple(sets, letters).map(([set, letter]) => [`[${set.flat().join("")}`, letter] as const)
  )
  const fronts = fc.constantFrom("", "", "", "/", "!", "\\!", "\\#", "#", "!/", " ", "\xef\xbb\xbf", "**/")
  const tails = fc.constantFrom(
    "",
    "",
    "",
    "/",
    " ",
    "\\ ",
    "  ",
    "\\  ",
    "\t",
    "\r",
    "\r\r",
    "\r ",
    "\\",
    "/ ",
    "\0a",
    "//"
  )
  const pattern = fc.tuple(fronts, fc.array(parts, { maxLength: 6 }), tails, deepTexts).map(
    ([front, made, tail, other]) => {
      const text = made.map(([, text]) => text).join("").replace(/^\/|\/$/g, "")
      return {
        line: front + made.map(([part]) => part).join("") + tail,
        paths: [text, lowerCase(text), `${text} `, `a/${text}`, `${text}/a`, `${front}${text}`, `${text}${tail}`, other]
      }
    }
  )
  const file = fc.record({
    patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }),
    mark: fc.constantFrom("", "", "", "\xef\xbb\xbf"),
    lineEnd: fc.constantFrom("\n", "\n", "\r\n")
  })

  it("matches what it matches for git", () =>
    fc.assert(
      fc.property(fc.array(file, { maxLength: 60, size: "max" }), fc.boolean(), (files, fold) => {
        empty()
        const asked = files.flatMap(({ lineEnd, mark, patterns }, number) => {
          const content = mark + patterns.map(({ line }) => line).join(lineEnd)
          write(`${number}/.gitignore`, content)
          const stack = [parseRules(content, String(number), fold)]
          const isIgnoredAt = (path: string): boolean =>
            path.split("/").some((name, depth, names) =>
              depth > 0 &&
              isIgnored(stack, names.slice(0, depth + 1).join("/"), name, depth < names.length - 1, fold)
            )
          return patterns.flatMap(({ paths }) => paths).filter(isPath).map((path) => {
            const whole = `${number}/${path}`
            return { whole, content, isIgnored: isIgnoredAt(whole) }
          })
        })
        const args = ["-c", `core.ignoreCase=${fold}`, "check-ignore", "--no-index", "-z", "--stdin"]
        const found = new Set(asked.length === 0 ? [] : checked(args, withNul(asked.map(({ whole }) => whole))))
        const wrong = asked.filter(({ isIgnored, whole }) => isIgnored !== found.has(whole))
        assert.deepStrictEqual(wrong, [])
      }),
      { numRuns }
    ), timeout)
})

/** `git check-ignore` ends with 1 where it finds no path. */
const checked = (args: ReadonlyArray<string>, input: string): ReadonlyArray<string> => {
  write("anchor/.gitignore", "found")
  return git(args, `${input}anchor/found\0`)
}

describe("a repository", () => {
  const names = fc.constantFrom(
    ..."a b c A B ab abc foo FOO foo.o bar.c build Build x.log caf\xe9 \xff* a[b] #x !y z\\".split(" "),
    "sp ",
    "t\tb",
    "n\nl"
  )
  const directory = fc.array(names, { maxLength: 3 }).map((parts) => parts.join("/"))
  const path = fc.tuple(directory, names).map(([dir, name]) => dir === "" ? name : `${dir}/${name}`)
  const lines = fc.oneof(
    { weight: 2, arbitrary: names },
    path,
    fc.constantFrom(
      ..."* *.o *.log /* !* !*/ !a !foo !*.c a/ build/ /build !build/ **/foo foo/** a/**/b **/a/** a** a**/b /a/b"
        .split(" "),
      ..."!/a/b a/* !a/b [a-c] [!a] [^a-c]* [[:upper:]]* [[:lower:]] ?? ?oo f?o *o* b*/a [a \\#x \\!y \\a a\\ * caf? \xff* "
        .split(" "),
      ..."caf\xe9 sp\\  # #x !y !!y a\\[b\\] *\\* /**/foo **/build/ */a */*/b !**/foo !.gitignore .gitignore".split(
        " "
      ),
      "sp ",
      "sp\\ ",
      "a\r",
      "t\tb",
      "FOO/",
      "Bar.c"
    )
  )
  const rules = fc.array(lines, { maxLength: 6 }).map((all) => all.join("\n"))
  const repository = fc.record({
    files: fc.array(fc.record({ path, isTracked: fc.boolean() }), { minLength: 1, maxLength: 25 }),
    ignores: fc.array(fc.record({ directory, content: rules }), { maxLength: 4 }),
    exclude: rules,
    excludesFile: rules,
    fold: fc.boolean()
  })

  /** Files that can exist together: none is a directory of another, and no two differ in case alone. */
  const together = <A extends { readonly path: string }>(files: ReadonlyArray<A>): ReadonlyArray<A> => {
    const kinds = new Map<string, string>()
    return files.filter(({ path }) => {
      const prefixes = path.split("/").map((_, depth, parts) => parts.slice(0, depth + 1).join("/"))
      const made = prefixes.map((prefix) => [prefix.toLowerCase(), prefix + (prefix === path ? "" : "/")] as const)
      const isFree = made.every(([key, kind]) => (kinds.get(key) ?? kind) === kind) && !kinds.has(path.toLowerCase())
      if (isFree) { for (const [key, kind] of made) kinds.set(key, kind) }
      return isFree
    })
  }

  it("has the paths that `git ls-files -co --exclude-standard` lists", () =>
    fc.assert(
      fc.property(repository, ({ exclude, excludesFile, files, fold, ignores }) => {
        empty()
        const all = together([
          ...ignores.map(({ content, directory }) => ({
            path: directory === "" ? ".gitignore" : `${directory}/.gitignore`,
            content,
            isTracked: false
          })),
          ...files.map((file) => ({ ...file, content: "" }))
        ])
        for (const { content, path } of all) write(path, content)
        write(".git/info/exclude", exclude)
        write(".git/excludes", excludesFile)
        const tracked = all.filter(({ isTracked }) => isTracked).map(({ path }) => path)
        git(["update-index", "--add", "-z", "--stdin"], withNul(tracked))

        const outside = [parseRules(excludesFile, "", fold), parseRules(exclude, "", fold)]
        const rulesIn = (directory: string): ReadonlyArray<IgnoreRules> =>
          all.filter(({ path }) => path === (directory === "" ? ".gitignore" : `${directory}/.gitignore`))
            .map(({ content }) => parseRules(content, directory, fold))
        const isCounted = (path: string): boolean => {
          let stack = [...outside, ...rulesIn("")]
          const names = path.split("/")
          return names.every((name, depth) => {
            const here = names.slice(0, depth + 1).join("/")
            if (isIgnored(stack, here, name, depth < names.length - 1, fold)) return false
            stack = [...stack, ...rulesIn(here)]
            return true
          })
        }
        const counted = all.filter(({ isTracked, path }) => isTracked || isCounted(path)).map(({ path }) => path)
        const settings = ["-c", `core.ignoreCase=${fold}`, "-c", `core.excludesFile=${repo}/.git/excludes`]
        const listed = git([...settings, "ls-files", "-z", "-co", "--exclude-standard"], "")
        assert.deepStrictEqual(counted.toSorted(), listed.toSorted())
      }),
      { numRuns }
    ), timeout)
})
