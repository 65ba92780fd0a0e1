// Submission: an invalid one is refused in one line without its secrets, and a valid one leads nowhere else.
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  canonicalUrl,
  decode,
  namedTarget,
  repoIdOf,
  repoName,
  type Submission,
  targetNamed,
  targetOf,
  urlProblem
} from "../../../src/fleet/Submission.ts"

const head = "a".repeat(40)
const base = "b".repeat(40)
const given = { repo: "https://github.com/owner/name", pr: 7, head, base, branch: "main" }
const taken = (what: unknown, local = false): Submission => Result.getOrThrow(decode(what, { local }))

const refused = (what: unknown, local = false): string => {
  const decoded = decode(what, { local })
  if (Result.isSuccess(decoded)) throw new Error(`was taken: ${JSON.stringify(what)}`)
  return decoded.failure
}

describe("a submission", () => {
  it("has the profile of a step where nothing else is said", () =>
    assert.deepStrictEqual({ ...taken(given) }, { ...taken(given), floor: "low", ceiling: "xhigh", batchSize: 3 }))

  it("names its target by the repository, and never by what it holds", () => {
    const one = taken({ ...given, repo: "https://github.com/owner/name.git" })
    const id = repoIdOf(one.repo)
    assert.match(id, /^name-[0-9a-f]{12}$/)
    assert.notStrictEqual(id, repoIdOf("https://github.com/other/name.git"))
    assert.deepStrictEqual(targetOf("pg:1", one), { root: "pg:1", repoId: id, targetKey: "pr/7" })
    assert.strictEqual(repoName(one.repo), "name")
  })

  it("of a local repository is taken where the fleet says so, and nowhere else", () => {
    const local = { ...given, repo: "file:///srv/git/name.git/" }
    assert.strictEqual(taken(local, true).repo, "file:///srv/git/name.git")
    assert.match(refused(local), /^repo: this fleet takes no repository of its own machines/)
  })
})

describe("a URL", () => {
  it("has one spelling", () => {
    assert.strictEqual(canonicalUrl("HTTPS://GitHub.Com:443/Owner/Name//"), "https://github.com/Owner/Name")
    assert.strictEqual(canonicalUrl("https://git.example.org:8443/a"), "https://git.example.org:8443/a")
    assert.strictEqual(taken({ ...given, repo: "https://GITHUB.com/owner/name/" }).repo, given.repo)
    assert.strictEqual(canonicalUrl("file:///srv//"), "file:///srv")
  })

  const hostile: ReadonlyArray<readonly [string, RegExp]> = [
    ["ext::sh -c touch% /tmp/x", /cannot hold spaces/],
    ["ext::sh", /only https/],
    ["http://github.com/a/b", /only https/],
    ["ssh://-oProxyCommand=x/a", /only https/],
    ["git@github.com:a/b", /only https/],
    ["-uexec", /only https/],
    ["", /only https/],
    ["https://name:s3cret@github.com/a/b", /name or a password/],
    ["https://s3cret@github.com/a/b", /name or a password/],
    ["https://github.com\n/a", /cannot hold/],
    ["https://github.com/a\u0000b", /cannot hold/],
    ["https://github.com/a\u202eb", /cannot hold/],
    ["https://gіthub.com/a/b", /cannot hold/],
    ["https://github.com", /no repository/],
    ["https://github.com/", /no repository|empty/],
    ["https://github.com/a//b", /part that is empty/],
    ["https://github.com/../b", /begins with/],
    ["https://github.com/a/..", /begins with/],
    ["https://github.com/a/.git", /begins with/],
    ["https://github.com/-a/b", /begins with/],
    ["https://github.com/a/b?s3cret=1", /part that/],
    ["https://github.com/a/b#s3cret", /part that/],
    ["https://github.com/a/%2e%2e", /part that/],
    ["https://github.com\\@evil.example/a", /name or a password/],
    ["https://-github.com/a/b", /domain name/],
    ["https://127.0.0.1/a/b", /domain name/],
    ["https://2130706433/a/b", /domain name/],
    ["https://[::1]/a/b", /domain name|port/],
    ["https://localhost/a/b", /domain name/],
    ["https://db.internal/a/b", /domain name/],
    ["https://printer.local/a/b", /domain name/],
    ["https://github.com.:443/a/b", /domain name/],
    ["https://github.com:0/a/b", /port/],
    ["https://github.com:70000/a/b", /port/],
    ["https://github.com:4:4/a/b", /port/],
    [`https://github.com/${"a".repeat(500)}`, /at most 500/],
    ["file://host/srv/git", /only https|from the root/],
    ["file:///srv/../etc", /begins with|no repository of its own/],
    ["file:///srv/.git", /begins with|no repository of its own/]
  ]

  it.each(hostile)("is refused where it is %j, in one line that does not repeat it", (repo, why) => {
    for (const local of [true, false]) {
      const line = refused({ ...given, repo }, local)
      assert.match(line, /^repo: /)
      assert.notMatch(line, /[\n\r\0]|s3cret|evil/)
      assert.isBelow(line.length, 300)
    }
    assert.match(refused({ ...given, repo }), why)
  })
})

describe("a field", () => {
  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["head", "HEAD"],
    ["head", "refs/heads/main"],
    ["head", "-".repeat(40)],
    ["head", "a".repeat(39)],
    ["head", "0".repeat(40)],
    ["head", `${"a".repeat(40)}\n`],
    ["base", "main"],
    ["base", ["https://x:s3cret@github.com"]],
    ["branch", "-u"],
    ["branch", "a..b"],
    ["branch", "HEAD~1"],
    ["branch", "a\nb"],
    ["branch", "b".repeat(201)],
    ["branch", "HEAD"],
    ["branch", "FETCH_HEAD"],
    ["branch", "refs/heads/main"],
    ["branch", head],
    ["pr", 0],
    ["pr", -1],
    ["pr", 1.5],
    ["pr", "7; rm -rf /"],
    ["pr", 1e300],
    ["floor", "https://x:s3cret@github.com\nsecond"],
    ["ceiling", "max"],
    ["batchSize", 0],
    ["batchSize", 33],
    ["batchSize", Number.NaN],
    ["token", "s3cret"],
    ["repo", { s3cret: 1 }]
  ]
  it.each(wrong)("%s is refused where it is %j, in one line", (field, value) => {
    const line = refused({ ...given, [field]: value })
    assert.match(line, new RegExp(`^${field}: `))
    assert.notMatch(line, /\n|s3cret/)
    assert.isBelow(line.length, 300)
  })

  it("is refused with the others that are wrong", () =>
    assert.match(refused({ ...given, repo: "ext::x", pr: 0 }), /^repo: .*; pr: /))

  it("is refused where two do not fit", () => {
    assert.match(refused({ ...given, floor: "high", ceiling: "low" }), /ceiling lies below/)
    assert.match(refused({ ...given, base: head }), /nothing to review/)
    for (const none of [null, [], "x", 3]) assert.notInclude(refused(none), "\n")
  })
})

describe("whatever is submitted", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "https://",
      "file:///",
      "github.com",
      "/",
      "..",
      ".",
      "-",
      "@",
      ":",
      "%2f",
      "\n",
      "\0",
      "a",
      ".git"
    ),
    fc.string({ unit: "binary", maxLength: 4 })
  )
  const text = fc.array(piece, { maxLength: 10 }).map((parts) => parts.join(""))

  it("is refused in one line, or is a URL of one meaning", () => {
    const wild = fc.oneof(text, text.map((rest) => `https://github.com/${rest}`), text.map((rest) => `file:///${rest}`))
    fc.assert(fc.property(wild, (repo) => {
      const decoded = decode({ ...given, repo }, { local: true })
      if (Result.isFailure(decoded)) return assert.notMatch(decoded.failure, /[\n\r\0]/)
      const one = decoded.success
      assert.match(one.repo, /^(https:\/\/[a-z0-9]|file:\/\/\/)[!-~]*$/)
      assert.isNull(urlProblem(one.repo))
      assert.strictEqual(canonicalUrl(one.repo), one.repo)
    }))
  })

  it("is never half taken: what was taken is taken again unchanged", () => {
    const settings = fc.record({
      pr: fc.integer({ min: 1, max: 9_999_999_999 }),
      batchSize: fc.integer({ min: 1, max: 32 }),
      floor: fc.constantFrom("low", "medium"),
      ceiling: fc.constantFrom("medium", "high", "xhigh")
    })
    fc.assert(fc.property(settings, (some) => {
      const one = taken({ ...given, ...some })
      assert.deepStrictEqual(taken({ ...one }), one)
      const { batchSize, ceiling, floor, pr } = one
      assert.deepEqual<unknown>({ pr, batchSize, floor, ceiling }, some)
    }))
  })
})

describe("the name of a pull request", () => {
  it.each(["https://github.com/a/x#7", "https://GitHub.com/a/x/#7", "https://github.com:443/a/x#7"])(
    "is %s",
    (text) => {
      const name = Result.getOrThrow(targetNamed(text))
      assert.deepStrictEqual(name, { repo: "https://github.com/a/x", pr: 7 })
      assert.deepStrictEqual(namedTarget("pg:1", name), {
        root: "pg:1",
        repoId: repoIdOf("https://github.com/a/x"),
        targetKey: "pr/7"
      })
    }
  )

  it.each([
    "",
    "7",
    "#7",
    "https://github.com/a/x",
    "https://github.com/a/x#0",
    "ssh://h/x#7",
    "https://u:s3cret@h.de/x#7"
  ])(
    "is not %j",
    (text) => {
      const named = targetNamed(text)
      assert.isTrue(Result.isFailure(named))
      assert.notMatch(JSON.stringify(named), /s3cret/)
    }
  )
})
