// GitState.live: which parts of git's own state differ after an agent has worked, such as hooks, settings and refs.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { eachInHome, git, inHome, makeRepo, submodule } from "../../support/repositories.ts"
import { aRun, asking, take } from "../../support/snapshots.ts"

eachInHome()

/** What ends a round after some work, and what is noted. */
const changesBy = async (repo: string, work: () => void) => {
  const ref = aRun()
  const before = await take(repo, ref)
  work()
  const after = await take(repo, ref, false, { _tag: "AfterAgent", agent: 1 })
  return asking((snapshots) => snapshots.gitChanges(ref, before, after))
}

/** What ends a round after some work. */
const changedBy = async (repo: string, work: () => void) => (await changesBy(repo, work)).changed

const write = (repo: string, path: string, text = "x\n") => {
  fs.mkdirSync(join(repo, path, ".."), { recursive: true })
  fs.writeFileSync(join(repo, path), text)
}

describe("after a change of git's own files", () => {
  const cases: ReadonlyArray<readonly [string, (repo: string) => void, ReadonlyArray<string>]> = [
    ["the branch that is checked out", (repo) => git(repo, "symbolic-ref", "HEAD", "refs/heads/x"), ["HEAD", "reflog"]],
    ["a staged file", (repo) => (write(repo, "new.txt"), git(repo, "add", "new.txt")), ["index"]],
    ["a flag in the index", (repo) => git(repo, "update-index", "--assume-unchanged", "one.txt"), ["index"]],
    ["a setting", (repo) => git(repo, "config", "core.fsmonitor", "x"), ["config"]],
    ["a hook", (repo) => write(repo, ".git/hooks/pre-commit"), ["hooks"]],
    ["a hook that is no longer executable", (repo) => fs.chmodSync(join(repo, ".git/hooks/update.sample"), 0o644), [
      "hooks"
    ]],
    ["a byte of a hook", (repo) => {
      const hook = ".git/hooks/update.sample"
      write(repo, hook, fs.readFileSync(join(repo, hook), "utf8").replace("#", "%"))
    }, ["hooks"]],
    ["an exclude file", (repo) => write(repo, ".git/info/exclude"), ["info"]],
    ["grafts", (repo) => write(repo, ".git/info/grafts"), ["info"]],
    ["removed reflogs", (repo) => fs.rmSync(join(repo, ".git/logs"), { recursive: true }), ["reflog"]],
    ["a shallow file", (repo) => write(repo, ".git/shallow", `${git(repo, "rev-parse", "HEAD")}\n`), ["shallow"]],
    ["alternates", (repo) => write(repo, ".git/objects/info/alternates", "/nowhere\n"), ["alternates"]],
    ["an unfinished merge", (repo) => write(repo, ".git/MERGE_HEAD"), ["MERGE_HEAD"]],
    ["an unfinished rebase", (repo) => write(repo, ".git/rebase-merge/onto"), ["rebase-merge"]],
    ["a lock", (repo) => write(repo, ".git/index.lock", ""), ["index.lock"]],
    ["a FIFO among its files", (repo) => execFileSync("mkfifo", [join(repo, ".git/info/f")]), ["info"]],
    ["a link in place of a file", (repo) => {
      fs.renameSync(join(repo, ".git/info/exclude"), join(repo, ".git/exclude"))
      fs.symlinkSync("../exclude", join(repo, ".git/info/exclude"))
    }, ["info"]]
  ]
  it.each(cases)("%s shows as a changed part", async (_, work, parts) => {
    const repo = makeRepo()
    assert.deepStrictEqual(await changedBy(repo, () => work(repo)), parts)
  })

  it("no part has changed if a person only looks, edits or fetches", async () => {
    const repo = makeRepo()
    const changed = await changedBy(repo, () => {
      write(repo, "one.txt", "edited\n")
      git(repo, "status")
      write(repo, ".git/FETCH_HEAD")
      write(repo, ".git/objects/ab/x")
    })
    assert.deepStrictEqual(changed, [])
  })

  it("a hook shows also in the directory that `core.hooksPath` names", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.hooksPath", inHome("hooks"))
    assert.deepStrictEqual(await changedBy(repo, () => write(inHome("hooks"), "pre-push")), ["config", "other hooks"])
  })
})

describe("a git directory within the worktree", () => {
  it("is a part, named by its path, as soon as it appears at any depth", async () => {
    const repo = makeRepo()
    fs.mkdirSync(join(repo, "deep/er"))
    write(repo, "deep/er/file")
    const changed = await changedBy(repo, () => {
      git(join(repo, "deep"), "init", "-q")
      git(join(repo, "deep/er"), "init", "-q")
    })
    assert.deepStrictEqual(changed.toSorted(), ["deep/.git", "deep/er/.git"])
  })

  it("changes with its settings, its index and its branch, and when it is removed, but not by `git status`", async () => {
    const repo = makeRepo()
    makeRepo("repo/caf\u00e9")
    const name = "caf\u00e9/.git"
    const inner = join(repo, "caf\u00e9")
    assert.deepStrictEqual(await changedBy(repo, () => git(inner, "config", "a.b", "c")), [name])
    assert.deepStrictEqual(await changedBy(repo, () => (write(inner, "n"), git(inner, "add", "n"))), [name])
    assert.strictEqual((await changedBy(repo, () => git(inner, "commit", "-qm", "n")))[0], name)
    assert.deepStrictEqual(await changedBy(repo, () => git(inner, "status")), [])
    assert.deepStrictEqual(await changedBy(repo, () => fs.rmSync(join(inner, ".git"), { recursive: true })), [name])
  })

  it("is found through the `.git` file of a submodule; a file that leads nowhere or in a circle counts by its text", async () => {
    const repo = makeRepo()
    makeRepo("from")
    submodule(repo, inHome("from"))
    assert.deepStrictEqual(await changedBy(repo, () => write(repo, ".git/modules/lib/hooks/x")), ["lib/.git"])
    write(repo, "deep/.git", "gitdir: ../.git\n")
    write(repo, "a/.git", "gitdir: nowhere\n")
    assert.deepStrictEqual(await changedBy(repo, () => write(repo, "a/.git", "gitdir: .git\n")), ["a/.git"])
  })
})
