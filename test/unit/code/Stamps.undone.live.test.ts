// Stamps: a change that was undone leaves a mark; what leaves no change leaves none.
// @module-tag slow
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { identityOf } from "../../../src/code/Identity.live.ts"
import { sameInput, undisturbed } from "../../../src/run/Identity.ts"
import { BranchName, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const uncommitted = Target.make({ _tag: "Uncommitted" })
const base = Target.make({ _tag: "Base", branch: BranchName.make("main") })
const identity = (repo: string, target: Target = uncommitted) => run(identityOf(repo, target, null))
// Numbers names in the home of a test.
let made = 0
/** Times in an index count whole seconds where git was built so. */
const nextSecond = () => run(Effect.sleep(1100))

/** Puts another directory in the place of one, and then that one back. No file in it changes. */
const swapped = (directory: string): void => {
  const away = inHome(`away-${++made}`)
  renameSync(directory, away)
  mkdirSync(directory)
  rmdirSync(directory)
  renameSync(away, directory)
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

/** The same for each of some doings, in repositories of their own: all of them wait for the same second. */
const eachNoticed = (
  make: (repo: string) => void,
  doings: ReadonlyArray<(repo: string) => void>,
  target: Target = uncommitted
): Promise<ReadonlyArray<string>> =>
  Promise.all(doings.map(async (meanwhile) => {
    const repo = makeRepo(`repo-${++made}`)
    make(repo)
    return await noticed(repo, () => meanwhile(repo), target) ? "noticed" : `not noticed: ${meanwhile}`
  }))

const allNoticed = (said: ReadonlyArray<string>) => assert.deepStrictEqual(said.filter((one) => one !== "noticed"), [])
const noneNoticed = (said: ReadonlyArray<string>) => assert.notInclude(said, "noticed")

describe("what was done and undone meanwhile", () => {
  it("is noticed: a stash, an edit, another file in its place, a switch, a commit that was taken back", async () => {
    const one = "one.txt\nedited\n"
    allNoticed(
      await eachNoticed((repo) => {
        git(repo, "branch", "other")
        writeFileSync(join(repo, "one.txt"), one)
        writeFileSync(join(repo, "new.txt"), "new\n")
      }, [
        (repo) => (git(repo, "stash", "-u"), git(repo, "stash", "pop")),
        (repo) => (writeFileSync(join(repo, "one.txt"), "x"), writeFileSync(join(repo, "one.txt"), one)),
        (repo) => (rmSync(join(repo, "new.txt")), writeFileSync(join(repo, "new.txt"), "new\n")),
        (
          repo
        ) => (renameSync(join(repo, "one.txt"), join(repo, "away")),
          renameSync(join(repo, "away"), join(repo, "one.txt"))),
        (repo) => swapped(join(repo, "deep")),
        (repo) => (writeFileSync(join(repo, "deep/helper"), ""), rmSync(join(repo, "deep/helper"))),
        (repo) => (git(repo, "switch", "-q", "other"), git(repo, "switch", "-q", "main")),
        (repo) => (git(repo, "commit", "-qam", "Hidden"), git(repo, "reset", "-q", "HEAD~1"))
      ])
    )
  })

  it("is noticed in submodules and in files that the index hides", async () => {
    const other = makeRepo("other")
    const undone = (file: string) => (repo: string) => {
      const text = readFileSync(join(repo, file))
      writeFileSync(join(repo, file), "x")
      writeFileSync(join(repo, file), text)
    }
    allNoticed(
      await eachNoticed((repo) => {
        submodule(repo, other)
        git(repo, "update-index", "--assume-unchanged", "one.txt")
      }, [
        undone("lib/one.txt"),
        undone("one.txt"),
        (repo) => swapped(join(repo, "lib")),
        (repo) => swapped(join(repo, "lib/deep"))
      ])
    )
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
    const prepare = (repo: string) => {
      git(repo, "switch", "-qc", "topic")
      appendFileSync(join(repo, "one.txt"), "edited\n")
      git(repo, "commit", "-qam", "Topic")
    }
    const moved = (away: ReadonlyArray<string>, back: ReadonlyArray<string>) => (repo: string) => {
      const commit = git(repo, "rev-parse", back.at(-1) ?? "")
      git(repo, ...away)
      git(repo, ...back.slice(0, -1), commit)
    }
    allNoticed(
      await eachNoticed(prepare, [
        moved(["branch", "-f", "main", "topic"], ["branch", "-f", "main", "main"]),
        moved(["reset", "-q", "--soft", "main"], ["reset", "-q", "--soft", "topic"])
      ], base)
    )
    noneNoticed(await eachNoticed(prepare, [() => {}], base))
  })

  it("is not noticed where nothing of it could be seen by a reviewer", async () => {
    noneNoticed(
      await eachNoticed((repo) => {
        writeFileSync(join(repo, ".gitignore"), "ignored\n/built\n")
        writeFileSync(join(repo, "ignored"), "")
        mkdirSync(join(repo, "built"))
      }, [
        (repo) => void git(repo, "status"),
        (repo) => writeFileSync(join(repo, "ignored"), String(Math.random())),
        (repo) => writeFileSync(join(repo, "built", String(Math.random())), ""),
        (repo) => void git(repo, "branch", `b${Math.random()}`),
        () => {}
      ])
    )
  })

  it("is a commit of what is reviewed against a base: it shows nothing new", async () => {
    const repo = makeRepo()
    git(repo, "switch", "-qc", "topic")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    assert.isFalse(await noticed(repo, () => void git(repo, "commit", "-qam", "Topic"), base))
  })
})
