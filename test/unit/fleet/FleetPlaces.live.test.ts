// The places of submissions: each lies below the work path, whatever strangers call their repositories and branches.
import { Result } from "effect"
import * as fc from "fast-check"
import { isAbsolute, join, normalize } from "node:path"
import { assert, it } from "vitest"
import { placesOf } from "../../../src/fleet/Mirror.live.ts"
import { decode, repoIdOf, type Submission } from "../../../src/fleet/Submission.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"

const head = "a".repeat(40)
const base = "b".repeat(40)
const given = { repo: "https://github.com/owner/name", pr: 7, head, base, branch: "main" }
const taken = (what: unknown): Submission => Result.getOrThrow(decode(what, { local: true }))

it("are named by the repository, the pull request and what is pinned", () => {
  const one = taken({ ...given, repo: "https://github.com/owner/name.git" })
  const id = repoIdOf(one.repo)
  assert.deepStrictEqual(placesOf(one), {
    mirror: `mirrors/${id}`,
    code: `trees/${id}/7/${head}-${base}-${sha256("main").slice(0, 12)}.code`,
    tree: `trees/${id}/7/${head}-${base}-${sha256("main").slice(0, 12)}/name`,
    worktree: `pulls/${id}/7/name`
  })
})

it("lie below the work path, whatever the repository and its branch are called", () => {
  const piece = fc.oneof(
    fc.constantFrom("..", ".", "/", "//", "\\", "~", "-", "@", "a", ".git", "name", "%2e%2e", "-upload-pack=x"),
    fc.string({ unit: "binary", maxLength: 4 })
  )
  const text = fc.array(piece, { maxLength: 10 }).map((parts) => parts.join(""))
  const repos = fc.oneof(text.map((rest) => `https://github.com/a${rest}`), text.map((rest) => `file:///a${rest}`))
  const branches = fc.oneof(text, fc.constantFrom("main", "a/b", "a".repeat(200)))
  fc.assert(fc.property(repos, branches, (repo, branch) => {
    const decoded = decode({ ...given, repo, branch }, { local: true })
    if (Result.isFailure(decoded)) return
    for (const place of Object.values(placesOf(decoded.success))) {
      assert.isFalse(isAbsolute(place))
      assert.isTrue(normalize(join("/work", place)).startsWith("/work/"), place)
      assert.strictEqual(normalize(place), place)
      for (const name of place.split("/")) assert.match(name, /^[A-Za-z0-9_~+@][\w.~+@-]{0,150}$/)
    }
  }))
})

it("are a tree of its own for each submission that differs in what it shows", () => {
  const sha = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 40, maxLength: 40 })
  const some = fc.record({
    repo: fc.constantFrom("https://github.com/a/x", "https://github.com/b/x", "https://github.com/a/x.git"),
    pr: fc.integer({ min: 1, max: 3 }),
    head: sha,
    base: fc.constantFrom("c".repeat(40), "d".repeat(40)),
    branch: fc.constantFrom("main", "next", "next/main")
  })
  fc.assert(fc.property(some, some, (a, b) => {
    const [one, other] = [taken({ ...given, ...a }), taken({ ...given, ...b })]
    const same = one.repo === other.repo && one.pr === other.pr && one.head === other.head &&
      one.base === other.base && one.branch === other.branch
    for (const place of ["code", "tree"] as const) {
      assert.strictEqual(placesOf(one)[place] === placesOf(other)[place], same)
    }
  }))
})
