// Target: what is admitted as a branch is what git admits, and no target leaves its directory or becomes an option.
// Git itself is the judge of branch names; a disagreement is an error here, not there.
import { spawnSync } from "node:child_process"
import * as fc from "fast-check"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { BranchName, branchProblem, codexArguments, mode, parseBranch, targetKey } from "../src/run/Target.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { branchName, hostileText, target } = arbitraries

/** Names near the border of what git admits. */
const nearlyBranch = fc.array(
  fc.constantFrom(..."ab/.-@{}~^:?*[\\ \t\u007f'\"$é", "..", ".lock", "@{", "//", "HEAD", "\u0001", "\u0085"),
  { maxLength: 6 }
).map((parts) => parts.join(""))

// As a ref git admits a leading `-`, which is an option to every program, and `@`, which is another name of HEAD.
const gitAdmits = (name: string): boolean =>
  !name.startsWith("-") && name !== "@" &&
  spawnSync("git", ["check-ref-format", `refs/heads/${name}`], { stdio: "ignore" }).status === 0

const examples: Array<[string]> = [
  ["@"],
  ["a@{b"],
  ["a.lock/b"],
  ["a/.b"],
  ["-a"],
  ["a/-b"],
  [".."],
  ["a."],
  ["/a"],
  ["a/"],
  ["a//b"],
  ["a\u0085b"],
  ["{}"],
  ["HEAD"],
  [""],
  ["a..b"],
  ["HEAD~1"],
  ["a^"]
]

describe("branch names", () => {
  it("are admitted exactly where git admits them", () =>
    fc.assert(
      fc.property(nearlyBranch.filter((name) => !name.includes("\u0000")), (name) =>
        assert.strictEqual(branchProblem(name) === null, gitAdmits(name), JSON.stringify(name))),
      { examples, numRuns: 150 }
    ), 30_000)

  it("from the generator are admitted by git", () =>
    fc.assert(
      fc.property(branchName, (name) => assert.isTrue(gitAdmits(name), JSON.stringify(name))),
      { numRuns: 50 }
    ), 30_000)

  it("of any text are either admitted unchanged or refused with one line that says why", () =>
    fc.assert(fc.property(fc.oneof(hostileText, nearlyBranch), (text) => {
      const parsed = parseBranch(text)
      if (Result.isSuccess(parsed)) assert.strictEqual(parsed.success, text)
      else assert.match(parsed.failure, /^[\x20-\x7e]+$/)
      assert.strictEqual(Result.isSuccess(parsed), branchProblem(text) === null)
    })))

  it("are never options, never climb, and are never a whole directory name", () =>
    fc.assert(
      fc.property(fc.oneof(nearlyBranch, branchName), (name) => {
        fc.pre(branchProblem(name) === null)
        assert.isFalse(name.startsWith("-"))
        for (const part of name.split("/")) assert.notInclude(["", ".", ".."], part)
        assert.doesNotThrow(() => BranchName.make(name))
      }),
      { examples }
    ))
})

describe("target keys", () => {
  it("are relative paths of whole segments under the mode", () =>
    fc.assert(fc.property(target, (one) => {
      const [first, ...rest] = targetKey(one).split("/")
      assert.strictEqual(first, mode(one))
      assert.strictEqual(rest.length === 0, one._tag === "Uncommitted")
      for (const part of rest) assert.notInclude(["", ".", ".."], part)
      assert.notMatch(targetKey(one), /[\u0000-\u001f\u007f\\]/)
    })))

  it("are equal for equal targets only", () =>
    fc.assert(
      fc.property(target, target, (a, b) =>
        assert.strictEqual(targetKey(a) === targetKey(b), JSON.stringify(a) === JSON.stringify(b)))
    ))
})

describe("arguments of codex", () => {
  it("are one flag, with one value unless it is the working copy, and no value is an option", () =>
    fc.assert(fc.property(target, branchName, (one, base) => {
      const [flag, ...values] = codexArguments(one, base) ?? []
      assert.include(["--uncommitted", "--base", "--commit"], flag)
      assert.lengthOf(values, one._tag === "Uncommitted" ? 0 : 1)
      for (const value of values) assert.isFalse(value.startsWith("-"))
    })))

  it("are missing exactly for a pull request without a base", () =>
    fc.assert(
      fc.property(target, (one) => assert.strictEqual(codexArguments(one, null) === null, one._tag === "PullRequest"))
    ))
})
