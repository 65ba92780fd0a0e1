// Stamps: what they tell of directories, and every version of git's index is read.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { directoryStamps, stampsIn } from "../../../src/code/Changes.live.ts"
import { eachInHome, git, inHome, makeRepo } from "./repositories.ts"

eachInHome()

describe("the stamps of directories", () => {
  it("change where one is another, or is not there, and at no other time", () => {
    const at = () => directoryStamps(inHome(), ["", "made"])
    const without = at()
    mkdirSync(inHome("made"))
    const made = at()
    assert.notStrictEqual(made, without)
    assert.strictEqual(at(), made)
    writeFileSync(inHome("made/file"), "")
    assert.notStrictEqual(at(), made)
  })
})

describe("the stamps of an index", () => {
  const indexOf = (repo: string) => join(repo, ".git/index")

  it("are the same in every version of it, with long names and flags", () => {
    const repo = makeRepo()
    for (const name of ["a", "ab", "abcdefgh", "x".repeat(200)]) writeFileSync(join(repo, name), "x")
    git(repo, "add", ".")
    writeFileSync(join(repo, "meant"), "x")
    git(repo, "add", "-N", "meant")
    const stamps = [2, 4, 3].map((version) => {
      git(repo, "update-index", "--index-version", String(version))
      return stampsIn(indexOf(repo), 20)
    })
    assert.isNotNull(stamps[0])
    assert.lengthOf(new Set(stamps), 1)
  })

  it("are none where there is no index, or what is there is none", () => {
    assert.isNull(stampsIn(inHome("nothing"), 20))
    writeFileSync(inHome("short"), "DIRC")
    assert.isNull(stampsIn(inHome("short"), 20))
    writeFileSync(inHome("other"), Buffer.alloc(200))
    assert.isNull(stampsIn(inHome("other"), 20))
  })
})
