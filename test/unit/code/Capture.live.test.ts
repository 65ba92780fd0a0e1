// A worktree at one moment: its commits, its index, its files and the repositories in it.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { capture, headOf } from "../../../src/code/Capture.live.ts"
import { git as ask } from "../../../src/platform/GitCommand.ts"
import { scratchOf } from "../../../src/code/Scratch.live.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

/** Captures a worktree in a scratch of its own. */
const captureOf = (repo: string) => Effect.flatMap(scratchOf(repo), (scratch) => capture(repo, scratch))

/** What was captured, without its scratch. */
const captured = (repo: string) => run(Effect.scoped(Effect.map(captureOf(repo), ({ scratch: _, ...rest }) => rest)))

describe("a capture", () => {
  it("of what is committed is HEAD's tree three times", async () => {
    const repo = makeRepo()
    const tree = git(repo, "rev-parse", "HEAD^{tree}")
    assert.deepInclude(await captured(repo), {
      head: git(repo, "rev-parse", "HEAD"),
      headTree: tree,
      indexTree: tree,
      tree,
      untracked: false,
      nested: ""
    })
  })

  it("tells what is staged from what is edited and what is untracked", async () => {
    const repo = makeRepo()
    const before = await captured(repo)
    appendFileSync(join(repo, "one.txt"), "edited\n")
    const edited = await captured(repo)
    assert.deepInclude(edited, { index: before.index, indexTree: before.indexTree, untracked: false })
    assert.notStrictEqual(edited.tree, before.tree)
    git(repo, "add", "one.txt")
    const staged = await captured(repo)
    assert.deepInclude(staged, { tree: edited.tree, indexTree: edited.tree, headTree: before.headTree })
    writeFileSync(join(repo, "new.txt"), "")
    assert.deepInclude(await captured(repo), { indexTree: staged.indexTree, untracked: true })
  })

  it("holds the objects of its trees while its scope lasts", async () => {
    const repo = makeRepo()
    appendFileSync(join(repo, "one.txt"), "edited\n")
    await run(Effect.scoped(Effect.gen(function*() {
      const { scratch, tree } = yield* captureOf(repo)
      assert.strictEqual((yield* ask(repo, ["cat-file", "-t", tree], scratch.env)).stdout, "tree\n")
      assert.notStrictEqual((yield* ask(repo, ["cat-file", "-t", tree])).code, 0)
    })))
  })

  it("sees a change in a submodule, and in one whose repository is gone", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("other"))
    const before = await captured(repo)
    assert.match(before.nested, /^[0-9a-f]{64}$/)
    appendFileSync(join(repo, "lib", "one.txt"), "edited\n")
    const after = await captured(repo)
    assert.notStrictEqual(after.nested, before.nested)
    assert.strictEqual(after.tree, before.tree)
    writeFileSync(join(repo, "lib", ".git"), "gitdir: nowhere\n")
    const gone = await captured(repo)
    appendFileSync(join(repo, "lib", "one.txt"), "again\n")
    assert.notStrictEqual((await captured(repo)).nested, gone.nested)
  })

  it("of a repository without a commit has no HEAD, and of no repository is why not", async () => {
    mkdirSync(inHome("new"))
    git(inHome("new"), "init", "-q")
    assert.deepStrictEqual(await run(headOf(inHome("new"))), { head: null, headTree: null })
    assert.deepInclude(await captured(inHome("new")), { head: null, headTree: null, nested: "" })
    assert.match(await run(Effect.scoped(Effect.flip(captureOf(inHome())))), /^fatal: not a git repository/)
  })
})
