// Freeze.live: what a first freeze borrows. That it sees every file is the law in `property/Freeze.property.test.ts`.
import { lstatSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { freeze } from "../../../src/code/Freeze.live.ts"
import { loadCache, saveCache, statNumbers } from "../../../src/code/StatCache.live.ts"
import { frozenNow } from "../../support/copies.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"

eachInHome()

describe("a first freeze", () => {
  const shown = async (repo: string, name: string) => {
    const { frozen, store } = await frozenNow(repo)
    return git(inHome(), `--git-dir=${store.dir}`, "show", `${frozen.tree}:${name}`)
  }
  const objectOf = (repo: string, revision: string) => {
    const id = git(repo, "rev-parse", revision)
    return join(repo, ".git/objects", id.slice(0, 2), id.slice(2))
  }

  it("borrows the objects of the repository, and keeps itself those that the repository has lost", async () => {
    const repo = makeRepo()
    assert.strictEqual(await shown(repo, "one.txt"), "one.txt")
    for (const lost of ["HEAD:one.txt", "HEAD:deep"]) rmSync(objectOf(repo, lost))
    rmSync(inHome("store"), { recursive: true })
    assert.strictEqual(await shown(repo, "one.txt"), "one.txt")
    assert.strictEqual(await shown(repo, "deep/two.txt"), "deep/two.txt")
  })
})

describe("a file that changed and whose stat did not, as one that a program has mapped into memory", () => {
  const changed = async () => {
    const repo = makeRepo()
    const path = join(repo, "one.txt")
    const old = new Date(Date.now() - 60_000)
    const { frozen, store } = await frozenNow(repo)
    const before = git(inHome(), `--git-dir=${store.dir}`, "rev-parse", `${frozen.tree}:one.txt`)
    writeFileSync(path, "two")
    utimesSync(path, old, old)
    const row = {
      path: "one.txt",
      stat: statNumbers(lstatSync(path)),
      id: Buffer.from(before, "hex").toString("latin1")
    }
    saveCache(store, [row], new Set())
    return {
      store,
      tree: frozen.tree,
      shown: (tree: string) => git(inHome(), `--git-dir=${store.dir}`, "show", `${tree}:one.txt`)
    }
  }

  it("is seen by a freeze that reads every file, and by those after it", async () => {
    const { shown, store, tree } = await changed()
    assert.strictEqual((await run(freeze(store))).tree, tree)
    const read = await run(freeze(store, { rereads: true, treesOnly: true }))
    assert.notStrictEqual(read.tree, tree)
    assert.isTrue(loadCache(store).isEmpty)
    const next = await run(freeze(store))
    assert.strictEqual(next.tree, read.tree)
    assert.strictEqual(shown(next.tree), "two")
  })
})
