// Base.live: the base of a target: the merge base that codex itself would take.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { asked } from "../../../src/code/Asked.live.ts"
import * as Base from "../../../src/code/Base.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"

eachInHome()

const { noBase } = Base
const baseOf = (repo: string, name: string) => asked(repo, (store) => Base.baseOf(store, name))
const commitOf = (repo: string, revision: string) => asked(repo, (store) => Base.commitOf(store, revision))

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
      compared: main,
      mergeBase: fork
    })
  })

  it("counts its upstream where that is ahead, and the branch itself where it is not", async () => {
    const origin = makeRepo("origin")
    git(inHome(), "clone", "-q", origin, "clone")
    const clone = inHome("clone")
    const old = git(clone, "rev-parse", "main")
    const ahead = commit(origin, "pushed by somebody")
    git(clone, "fetch", "-q")
    git(clone, "checkout", "-qb", "topic", "origin/main")
    assert.deepStrictEqual(await run(baseOf(clone, "main")), {
      commit: old,
      compared: ahead,
      mergeBase: ahead
    })
    git(clone, "branch", "-f", "main", "origin/main")
    git(clone, "checkout", "-q", "main")
    const own = commit(clone, "not pushed")
    assert.deepStrictEqual(await run(baseOf(clone, "main")), {
      commit: own,
      compared: own,
      mergeBase: own
    })
  })

  it("is null where the branch is not here, and its merge base where there is no common ancestor", async () => {
    const repo = makeRepo()
    assert.deepStrictEqual(await run(baseOf(repo, "nothing")), noBase)
    git(repo, "checkout", "-q", "--orphan", "other")
    const other = commit(repo, "another beginning")
    git(repo, "checkout", "-q", "main")
    assert.deepStrictEqual(await run(baseOf(repo, "other")), {
      commit: other,
      compared: other,
      mergeBase: null
    })
  })
})

describe("the name of a base", () => {
  /** A repository with three commits, of which `main` has the first and HEAD, on `topic`, all. */
  const threeCommits = (): readonly [repo: string, first: string, second: string] => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    const first = git(repo, "rev-parse", "HEAD")
    const second = commit(repo, "second")
    commit(repo, "third")
    return [repo, first, second]
  }
  const problemOf = async (repo: string, name: string): Promise<string> => {
    const fault = await run(Effect.flip(baseOf(repo, name)))
    return fault.message
  }
  const commitAt = async (repo: string, name: string) => (await run(baseOf(repo, name))).commit

  it("is a branch before a branch of a remote, and never a tag", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "tag", "v1", second)
    assert.deepStrictEqual(await run(baseOf(repo, "v1")), noBase)
    git(repo, "update-ref", "refs/remotes/origin/main", first)
    assert.strictEqual(await commitAt(repo, "origin/main"), git(repo, "rev-parse", "refs/remotes/origin/main^{commit}"))
    git(repo, "branch", "origin/main", first)
    assert.strictEqual(await commitAt(repo, "origin/main"), git(repo, "rev-parse", "refs/heads/origin/main^{commit}"))
  })

  it.each([
    ["a tag", "main", "refs/tags/main", ["tag", "main"]],
    ["an annotated tag", "main", "refs/tags/main", ["tag", "-a", "-m", "Tag", "main"]],
    ["a ref beside the branches", "main", "refs/main", ["update-ref", "refs/main"]],
    ["a file of git", "main", ".git/main", ["update-ref", "--no-deref", "main"]],
    ["a branch of a remote", "main", "refs/remotes/main", ["update-ref", "refs/remotes/main"]]
  ])("is refused where %s has it too, at another commit", async (_, name, ref, made) => {
    const [repo, first, second] = threeCommits()
    if (ref.startsWith(".git/")) writeFileSync(join(repo, ref), `${second}\n`)
    else git(repo, ...made, second)
    assert.strictEqual(
      await problemOf(repo, name),
      `main is ambiguous: refs/heads/main and ${ref} are different commits; use the full name, or rename one`
    )
    assert.deepStrictEqual(await run(baseOf(repo, "refs/heads/main")), {
      commit: first,
      compared: first,
      mergeBase: first
    })
  })

  it("is refused where a tag of it is no commit", async () => {
    const [repo] = threeCommits()
    git(repo, "tag", "main", "HEAD:one.txt")
    assert.match(await problemOf(repo, "main"), /^main is ambiguous: refs\/heads\/main and refs\/tags\/main /)
  })

  it("may belong to several refs at one commit", async () => {
    const [repo, first] = threeCommits()
    git(repo, "tag", "-a", "-m", "Tag", "main", first)
    git(repo, "update-ref", "refs/remotes/main", first)
    assert.strictEqual(await commitAt(repo, "main"), git(repo, "rev-parse", "refs/heads/main^{commit}"))
  })

  it("is refused where a branch and a branch of a remote differ", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "update-ref", "refs/remotes/origin/main", first)
    git(repo, "branch", "origin/main", second)
    assert.match(await problemOf(repo, "origin/main"), /: refs\/heads\/origin\/main and refs\/remotes\/origin\/main /)
  })

  it("in full has no upstream, as for codex", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "branch", "newer", second)
    git(repo, "branch", "--quiet", "--set-upstream-to", "newer", "main")
    assert.strictEqual((await run(baseOf(repo, "main"))).mergeBase, second)
    for (const longer of ["heads/main", "refs/heads/main"]) {
      assert.strictEqual((await run(baseOf(repo, longer))).mergeBase, first)
    }
  })

  it("means the branch alone where its upstream is gone", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "branch", "newer", second)
    git(repo, "branch", "--quiet", "--set-upstream-to", "newer", "main")
    git(repo, "branch", "-qD", "newer")
    assert.strictEqual((await run(baseOf(repo, "main"))).mergeBase, first)
  })

  it("may be the whole id of a commit, whatever is called by it", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "update-ref", `refs/heads/${first}`, second)
    assert.deepStrictEqual(await run(baseOf(repo, first)), {
      commit: first,
      compared: first,
      mergeBase: first
    })
    assert.deepStrictEqual(await run(baseOf(repo, first.slice(0, 12))), noBase)
  })

  it("within a revision never means a tag in place of a branch", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "tag", "v1", second)
    const named = [first, "main", "v1", "v1~1", "HEAD~1", "HEAD^{commit}", "@{-1}", "nothing"]
    const commits = await Promise.all(named.map((revision) => run(commitOf(repo, revision))))
    assert.deepStrictEqual(commits, [first, first, second, first, second, git(repo, "rev-parse", "HEAD"), first, null])
    git(repo, "tag", "main", "HEAD")
    for (const revision of ["main", "main~1", "main^", "main^{commit}", "main@{0}"]) {
      const fault = await run(Effect.flip(commitOf(repo, revision)))
      assert.match(fault.message, /^main is ambiguous: /)
    }
  })

  it("never looks for HEAD among the branches", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "update-ref", "refs/heads/HEAD", first)
    assert.strictEqual(await run(commitOf(repo, "HEAD~1")), second)
    assert.strictEqual(await run(commitOf(repo, "HEAD")), git(repo, "rev-parse", "HEAD^{commit}"))
  })

  it("is refused where a tag has the name of a remote's branch at another commit", async () => {
    const [repo, first, second] = threeCommits()
    git(repo, "tag", "next", first)
    git(repo, "update-ref", "refs/remotes/origin/next", first)
    assert.strictEqual(await run(commitOf(repo, "next")), first)
    git(repo, "update-ref", "refs/remotes/origin/next", second)
    for (const revision of ["next", "next~0"]) {
      assert.strictEqual(
        (await run(Effect.flip(commitOf(repo, revision)))).message,
        "next is ambiguous: refs/tags/next and refs/remotes/origin/next are different commits; use the full name, or " +
          "rename one"
      )
    }
    assert.strictEqual(await run(commitOf(repo, "refs/tags/next")), first)
    assert.strictEqual(await run(commitOf(repo, "origin/next")), second)
  })
})
