// Target: accepted branches, commits and pull requests, the keys on disk, the arguments of codex.
// Property/Target compares branch names with git; here is one row for each reason.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { levels } from "../../../src/run/Level.ts"
import {
  areSettings,
  BranchName,
  branchProblem,
  codexArguments,
  CommitSha,
  isKeyOf,
  mode,
  parseBranch,
  parseCommit,
  parsePr,
  PrNumber,
  reviewArguments,
  type Target,
  targetKey,
  untrusted
} from "../../../src/run/Target.ts"

const sha = "0123456789abcdef0123456789abcdef01234567"
const main = BranchName.make("main")

describe("branchProblem", () => {
  it.each([
    "main",
    "a{b",
    "a|b",
    "HEAD"
  ])("admits %s", (name) => assert.isNull(branchProblem(name)))

  const refused: ReadonlyArray<readonly [string, RegExp]> = [
    ["", /empty/],
    ["-x", /begin with '-'/],
    ["HEAD~1", /revision/],
    ["main@{1}", /revision/],
    ["..", /'\.\.'/],
    ["main..topic", /'\.\.'/],
    ["/abs", /empty part/],
    ["a//b", /empty part/],
    ["@", /'@'/],
    ["a.", /'\.'/],
    [".hidden", /begin with '\.'/],
    ["a.lock", /\.lock/],
    ["a b", /spaces/],
    ["a\nb", /spaces/],
    ["a:b", /spaces/],
    ["a\\b", /spaces/]
  ]
  it.each(refused)("refuses %j and says why", (name, why) => {
    assert.match(branchProblem(name) ?? "admitted", why)
    assert.isTrue(Result.isFailure(parseBranch(name)))
  })
})

describe("parseCommit", () => {
  it("accepts 40 hexadecimal digits in either case and keeps them in lower case", () => {
    assert.deepStrictEqual(parseCommit(sha), Result.succeed(CommitSha.make(sha)))
    assert.deepStrictEqual(parseCommit(sha.toUpperCase()), Result.succeed(CommitSha.make(sha)))
  })

  it("accepts the 64 digits of SHA-256", () => {
    const long = `${sha}${"0a".repeat(12)}`
    assert.deepStrictEqual(parseCommit(long.toUpperCase()), Result.succeed(CommitSha.make(long)))
  })

  it.each(["", "HEAD", "0123456", sha.slice(1), `${sha}0`, sha.replace("f", "g"), `${sha}\n`, ` ${sha}`])(
    "refuses %j",
    (text) => assert.isTrue(Result.isFailure(parseCommit(text)))
  )
})

describe("parsePr", () => {
  it.each([["1", 1], ["42", 42], ["1234567890", 1234567890]] as const)(
    "accepts %s",
    (text, number) => assert.deepStrictEqual(parsePr(text), Result.succeed(PrNumber.make(number)))
  )

  it.each(["", "0", "-1", "01", "1.5", "1e3", "0x10", " 1", "1 ", "1\n", "#1", "99999999999", "NaN"])(
    "refuses %j",
    (text) => assert.isTrue(Result.isFailure(parsePr(text)))
  )
})

describe("a target", () => {
  const feature = BranchName.make("feature/x")
  const uncommitted: Target = { _tag: "Uncommitted" }
  const base: Target = { _tag: "Base", branch: feature }
  const commit: Target = { _tag: "Commit", sha: CommitSha.make(sha) }
  const pr: Target = { _tag: "PullRequest", number: PrNumber.make(42) }

  it("has the contract's key; slashes of a branch are kept", () => {
    assert.deepStrictEqual([uncommitted, base, commit, pr].map(targetKey), [
      "uncommitted",
      "base/feature/x",
      `commit/${sha}`,
      "pr/42"
    ])
  })

  it("has a key that is never a directory of the target itself, whatever the branch: latest, lock, runs", () => {
    const keys = ["release/latest", "lock/x", "runs", "a/runs/runs", "latest2", "Runs"].map((name) =>
      targetKey({ _tag: "Base", branch: BranchName.make(name) })
    )
    assert.deepStrictEqual(keys, [
      "base/release/latest~",
      "base/lock~/x",
      "base/runs~",
      "base/a/runs~/runs~",
      "base/latest2",
      "base/Runs"
    ])
  })

  it("is also known by the key of earlier versions", () => {
    const runs: Target = { _tag: "Base", branch: BranchName.make("runs") }
    for (const key of ["base/runs~", "base/runs"]) assert.isTrue(isKeyOf(key, runs))
    for (const key of ["base/runs/x", "runs", "pr/42"]) assert.isFalse(isKeyOf(key, runs))
    assert.isTrue(isKeyOf("pr/42", pr))
  })

  it("has the manifest's mode", () => {
    assert.deepStrictEqual([uncommitted, base, commit, pr].map(mode), ["uncommitted", "base", "commit", "pr"])
  })

  it("gives codex's arguments; a pull request is reviewed against its resolved base", () => {
    assert.deepStrictEqual(codexArguments(uncommitted, null), ["--uncommitted"])
    assert.deepStrictEqual(codexArguments(base, null), ["--base", "feature/x"])
    assert.deepStrictEqual(codexArguments(commit, null), ["--commit", sha])
    assert.deepStrictEqual(codexArguments(pr, main), ["--base", "main"])
  })

  it("gives every reviewer's arguments, at the level of its batch", () => {
    assert.deepStrictEqual(reviewArguments(pr, main, "xhigh"), [
      "review",
      "--base",
      "main",
      "-c",
      'model_reasoning_effort="xhigh"',
      "-c",
      'sandbox_mode="read-only"'
    ])
    for (const level of levels) {
      assert.strictEqual(reviewArguments(uncommitted, null, level).at(-3), `model_reasoning_effort="${level}"`)
    }
  })

  it("names the untrusted directory as one key, whatever is in its path", () =>
    assert.deepStrictEqual(untrusted('/a.b/"c\x7f'), [
      "-c",
      String.raw`projects={"/a.b/\"c\u007f"={trust_level="untrusted"}}`
    ]))

  it("accepts settings only once each and in order", () => {
    const [model, skills] = [["-c", 'review_model="m"'], ["-c", "skills.include_instructions=false"]]
    const admitted = [[], model, skills, [...model, ...skills]].map(areSettings)
    const refused = [[...skills, ...model], [...model, ...model], [...model, "--x"]].map(areSettings)
    assert.deepStrictEqual([...admitted, ...refused], [true, true, true, true, false, false, false])
  })

  it("of a branch ignores a resolved base", () =>
    assert.deepStrictEqual(codexArguments(base, main), ["--base", "feature/x"]))
})
