// Freeze.live: what a first freeze borrows. That it sees every file is the law in `property/Freeze.property.test.ts`.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { frozenNow } from "../../support/copies.ts"
import { eachInHome, git, inHome, makeRepo } from "../../support/repositories.ts"

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
