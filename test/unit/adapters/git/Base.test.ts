// The base of a target: the merge base that codex itself would take.
import { assert, describe, it } from "vitest"
import { baseOf } from "../../../../src/adapters/git/Base.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const commit = (repo: string, message: string): string => {
  git(repo, "commit", "-q", "--allow-empty", "-m", message)
  return git(repo, "rev-parse", "HEAD")
}

describe("the base of a branch", () => {
  it("is its commit and the merge base with HEAD", async () => {
    const repo = makeRepo()
    const fork = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-qb", "topic")
    commit(repo, "on topic")
    git(repo, "checkout", "-q", "main")
    const main = commit(repo, "on main")
    git(repo, "checkout", "-q", "topic")
    assert.deepStrictEqual(await run(baseOf(repo, "main")), {
      commit: main,
      mergeBase: fork,
      refs: ["refs/heads/main"]
    })
  })

  it("counts its upstream where that is ahead, and the branch itself where it is not", async () => {
    const origin = makeRepo("origin")
    git(inHome(), "clone", "-q", origin, "clone")
    const clone = inHome("clone")
    const old = git(clone, "rev-parse", "main")
    const ahead = commit(origin, "pushed by somebody")
    const both = ["refs/heads/main", "refs/remotes/origin/main"]
    git(clone, "fetch", "-q")
    git(clone, "checkout", "-qb", "topic", "origin/main")
    assert.deepStrictEqual(await run(baseOf(clone, "main")), { commit: old, mergeBase: ahead, refs: both })
    git(clone, "branch", "-f", "main", "origin/main")
    git(clone, "checkout", "-q", "main")
    const own = commit(clone, "not pushed")
    assert.deepStrictEqual(await run(baseOf(clone, "main")), { commit: own, mergeBase: own, refs: both })
  })

  it("is null where the branch is not here, and its merge base where there is no common ancestor", async () => {
    const repo = makeRepo()
    assert.deepStrictEqual(await run(baseOf(repo, "nothing")), { commit: null, mergeBase: null, refs: [] })
    git(repo, "checkout", "-q", "--orphan", "other")
    const other = commit(repo, "another beginning")
    git(repo, "checkout", "-q", "main")
    assert.deepStrictEqual(await run(baseOf(repo, "other")), {
      commit: other,
      mergeBase: null,
      refs: ["refs/heads/other"]
    })
  })
})
