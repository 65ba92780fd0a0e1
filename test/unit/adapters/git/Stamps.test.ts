// Stamps: a change that was undone leaves a mark; what leaves no change leaves none; every version of git's index is read.
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { identityOf } from "../../../../src/adapters/git/Identity.ts"
import { directoryStamps, stampsIn } from "../../../../src/adapters/git/Stamps.ts"
import { sameInput, undisturbed } from "../../../../src/core/run/Identity.ts"
import { BranchName, Target } from "../../../../src/core/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const uncommitted = Target.make({ _tag: "Uncommitted" })
const base = Target.make({ _tag: "Base", branch: BranchName.make("main") })
const identity = (repo: string, target: Target = uncommitted) => run(identityOf(repo, target, null))
/** Times in an index count whole seconds where git was built so. */
const nextSecond = () => run(Effect.sleep(1100))

/** Puts another directory in the place of one, and then that one back. No file in it changes. */
const swapped = (directory: string): void => {
  renameSync(directory, inHome("away"))
  mkdirSync(directory)
  rmdirSync(directory)
  renameSync(inHome("away"), directory)
}

/** Whether something that is done and undone between two looks was noticed, though both looks show the same. */
const noticed = async (repo: string, meanwhile: () => void, target: Target = uncommitted): Promise<boolean> => {
  const began = await identity(repo, target)
  await nextSecond()
  meanwhile()
  const completed = await identity(repo, target)
  assert.strictEqual(sameInput(began, completed), "Same")
  return !undisturbed(began, completed)
}

describe("what was done and undone meanwhile", () => {
  it("is noticed: a stash, an edit, another file in its place, a switch, a commit that was taken back", async () => {
    const repo = makeRepo()
    git(repo, "branch", "other")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    writeFileSync(join(repo, "new.txt"), "new\n")
    const text = readFileSync(join(repo, "one.txt"))
    for (
      const meanwhile of [
        () => (git(repo, "stash", "-u"), git(repo, "stash", "pop")),
        () => (writeFileSync(join(repo, "one.txt"), "x"), writeFileSync(join(repo, "one.txt"), text)),
        () => (rmSync(join(repo, "new.txt")), writeFileSync(join(repo, "new.txt"), "new\n")),
        () => (renameSync(join(repo, "one.txt"), join(repo, "away")),
          renameSync(join(repo, "away"), join(repo, "one.txt"))),
        () => swapped(join(repo, "deep")),
        () => (writeFileSync(join(repo, "deep/helper"), ""), rmSync(join(repo, "deep/helper"))),
        () => (git(repo, "switch", "-q", "other"), git(repo, "switch", "-q", "main")),
        () => (git(repo, "commit", "-qam", "Hidden"), git(repo, "reset", "-q", "HEAD~1"))
      ]
    ) assert.isTrue(await noticed(repo, meanwhile), String(meanwhile))
  })

  it("is noticed in submodules and in files that the index hides", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("other"))
    git(repo, "update-index", "--assume-unchanged", "one.txt")
    for (const file of ["lib/one.txt", "one.txt"]) {
      const text = readFileSync(join(repo, file))
      const undone = () => (writeFileSync(join(repo, file), "x"), writeFileSync(join(repo, file), text))
      assert.isTrue(await noticed(repo, undone), file)
    }
    for (const directory of ["lib", "lib/deep"]) {
      assert.isTrue(await noticed(repo, () => swapped(join(repo, directory))), directory)
    }
  })

  it("is noticed where git cannot make a tree of the files", async () => {
    const repo = makeRepo()
    git(repo, "config", "filter.x.clean", "false")
    git(repo, "config", "filter.x.required", "true")
    writeFileSync(join(repo, ".gitattributes"), "*.x filter=x\n")
    writeFileSync(join(repo, "a.x"), "edited\n")
    assert.isTrue(
      await noticed(repo, () => (writeFileSync(join(repo, "a.x"), "x"), writeFileSync(join(repo, "a.x"), "edited\n")))
    )
    assert.isTrue(await noticed(repo, () => swapped(join(repo, "deep"))))
    assert.isFalse(await noticed(repo, () => {}))
  })

  it("is noticed of the patterns in a file that git ignores itself", async () => {
    const repo = makeRepo()
    for (const name of [".gitignore", "deep/.gitignore"]) {
      writeFileSync(join(repo, name), ".gitignore\n")
      const undone = () =>
        [".gitignore\n*.txt\n", ".gitignore\n"].forEach((text) => writeFileSync(join(repo, name), text))
      assert.isTrue(await noticed(repo, undone), name)
    }
  })

  it("is noticed of HEAD, where git keeps notes on its moves, keeps none, or has lost them meanwhile", async () => {
    const repo = makeRepo()
    appendFileSync(join(repo, "one.txt"), "edited\n")
    const committed = () => (git(repo, "commit", "-qam", "Hidden"), git(repo, "reset", "-q", "--soft", "HEAD~1"))
    git(repo, "add", ".")
    assert.isTrue(await noticed(repo, committed))
    assert.isTrue(await noticed(repo, () => void git(repo, "reflog", "expire", "--expire=now", "--all")))
    git(repo, "config", "core.logAllRefUpdates", "false")
    rmSync(join(repo, ".git/logs"), { recursive: true })
    assert.isTrue(await noticed(repo, committed))
    git(repo, "pack-refs", "--all")
    assert.isFalse(await noticed(repo, () => {}))
  })

  it("is noticed of a base and of HEAD beside it", async () => {
    const repo = makeRepo()
    git(repo, "switch", "-qc", "topic")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    git(repo, "commit", "-qam", "Topic")
    const [fork, tip] = [git(repo, "rev-parse", "main"), git(repo, "rev-parse", "topic")]
    for (
      const meanwhile of [
        () => (git(repo, "branch", "-f", "main", "topic"), git(repo, "branch", "-f", "main", fork)),
        () => (git(repo, "reset", "-q", "--soft", "main"), git(repo, "reset", "-q", "--soft", tip))
      ]
    ) assert.isTrue(await noticed(repo, meanwhile, base), String(meanwhile))
    assert.isFalse(await noticed(repo, () => {}, base))
  })

  it("is not noticed where nothing of it could be seen by a reviewer", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "ignored\n/built\n")
    writeFileSync(join(repo, "ignored"), "")
    mkdirSync(join(repo, "built"))
    for (
      const meanwhile of [
        () => void git(repo, "status"),
        () => writeFileSync(join(repo, "ignored"), String(Math.random())),
        () => writeFileSync(join(repo, "built", String(Math.random())), ""),
        () => void git(repo, "branch", `b${Math.random()}`),
        () => {}
      ]
    ) assert.isFalse(await noticed(repo, meanwhile), String(meanwhile))
  })

  it("is a commit of what is reviewed against a base: it shows nothing new", async () => {
    const repo = makeRepo()
    git(repo, "switch", "-qc", "topic")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    assert.isFalse(await noticed(repo, () => void git(repo, "commit", "-qam", "Topic"), base))
  })
})

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
