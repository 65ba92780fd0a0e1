// Moves: every move of HEAD and of a branch leaves another mark, with git's notes and without them.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { movesOf, movesOfRefs } from "../../../src/code/Changes.live.ts"
import { eachInHome, git, inHome, makeRepo } from "./repositories.ts"

eachInHome()

const own = (repo: string) => join(repo, ".git")
const commit = (repo: string) => git(repo, "commit", "-q", "--allow-empty", "-m", "More")

describe("the moves of HEAD", () => {
  it("have a mark each, and the one before stands beside the last", () => {
    const repo = makeRepo()
    const first = movesOf(own(repo))
    commit(repo)
    const second = movesOf(own(repo))
    assert.notStrictEqual(second.moved, first.moved)
    assert.strictEqual(second.movedBefore, first.moved)
    assert.deepStrictEqual(movesOf(own(repo)), second)
  })

  it("are told by the files that name its commit, where git keeps no notes", () => {
    const repo = makeRepo()
    git(repo, "config", "core.logAllRefUpdates", "false")
    rmSync(join(own(repo), "logs"), { recursive: true })
    const first = movesOf(own(repo))
    assert.isUndefined(first.movedBefore)
    assert.deepStrictEqual(movesOf(own(repo)), first)
    commit(repo)
    assert.notStrictEqual(movesOf(own(repo)).moved, first.moved)
  })

  it("are told by the list of tables, where refs lie in tables and no file holds one", () => {
    const repo = makeRepo()
    rmSync(join(own(repo), "logs"), { recursive: true })
    mkdirSync(join(own(repo), "reftable"))
    writeFileSync(join(own(repo), "HEAD"), "ref: refs/heads/.invalid\n")
    const moved = () => writeFileSync(join(own(repo), "reftable/tables.list"), "0x1-0x1-0.ref\n")
    moved()
    const head = movesOf(own(repo))
    const other = movesOfRefs(own(repo), ["refs/heads/other"])
    assert.deepStrictEqual(movesOf(own(repo)), head)
    moved()
    assert.notStrictEqual(movesOf(own(repo)).moved, head.moved)
    assert.notStrictEqual(movesOf(own(repo)).held, head.held)
    assert.isUndefined(movesOf(own(repo)).movedBefore)
    assert.notStrictEqual(movesOfRefs(own(repo), ["refs/heads/other"]), other)
  })

  it("are those of a linked worktree alone", () => {
    const repo = makeRepo()
    git(repo, "worktree", "add", "-q", "-b", "topic", inHome("linked"))
    const linked = git(inHome("linked"), "rev-parse", "--absolute-git-dir")
    const before = movesOf(linked)
    commit(repo)
    assert.deepStrictEqual(movesOf(linked), before)
    commit(inHome("linked"))
    assert.notDeepEqual(movesOf(linked), before)
  })
})

describe("the moves of branches", () => {
  it("have one mark, also as a linked worktree finds them", () => {
    const repo = makeRepo()
    git(repo, "branch", "other")
    git(repo, "worktree", "add", "-q", "-b", "topic", inHome("linked"))
    const linked = git(inHome("linked"), "rev-parse", "--absolute-git-dir")
    const marks = () => [movesOfRefs(own(repo), ["refs/heads/other"]), movesOfRefs(linked, ["refs/heads/other"])]
    const before = marks()
    assert.strictEqual(before[0], before[1])
    commit(repo)
    assert.deepStrictEqual(marks(), before)
    git(repo, "branch", "-f", "other", "main")
    assert.notStrictEqual(marks()[0], before[0])
    assert.strictEqual(marks()[0], marks()[1])
  })
})
