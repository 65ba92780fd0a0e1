// Freeze.live: what a first freeze borrows. That it sees every file is the law in `property/Freeze.property.test.ts`.
import { execFileSync } from "node:child_process"
import { copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { freeze } from "../../../src/code/Freeze.live.ts"
import { repositoryAt } from "../../../src/code/Repository.live.ts"
import { loadCache, newRows, saveCache } from "../../../src/code/StatCache.live.ts"
import { openStore } from "../../../src/code/Store.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { IdentityTimeout } from "../../../src/platform/GitCommand.ts"
import { frozenNow } from "../../support/copies.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"

eachInHome()

const gitProgram = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()

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

  it("leaves no pack where git fails after it was begun", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "new.txt"), "new")
    writeFileSync(inHome("git"), `#!/bin/sh\ncase "$*" in *cat-file*) exit 128 ;; esac\nexec ${gitProgram} "$@"\n`, {
      mode: 0o755
    })
    const failed = Effect.gen(function*() {
      return yield* Effect.flip(freeze(yield* openStore(inHome("store"), yield* repositoryAt(repo))))
    })
    const path = `${inHome()}:${process.env["PATH"]}`
    await run(Effect.updateService(failed, Environment, (environment) => ({ ...environment, PATH: path })))
    assert.deepStrictEqual(readdirSync(inHome("store/objects/pack")), [])
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
    const rows = newRows()
    rows.add("one.txt", lstatSync(path), Buffer.from(before, "hex").toString("latin1"))
    saveCache(store, rows, new Set(), "")
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

describe("a run without frozen copies", () => {
  const seen = () => inHome("seen")
  const trees = (repo: string, name: string) =>
    run(Effect.gen(function*() {
      const store = yield* openStore(inHome(name), yield* repositoryAt(repo), null, seen())
      return { store, tree: (yield* freeze(store, { treesOnly: true })).tree }
    }))
  /** A repository whose files are old enough to be known by their stats, but for one that was just changed. */
  const changedRepo = () => {
    const repo = makeRepo()
    const old = new Date(Date.now() - 60_000)
    writeFileSync(join(repo, "one.txt"), "changed")
    utimesSync(join(repo, "deep/two.txt"), old, old)
    return repo
  }

  it("knows files that have not changed since, and no object by that", async () => {
    const repo = changedRepo()
    await setTimeout(2100)
    const first = await trees(repo, "first")
    const cache = loadCache(first.store, seen())
    const row = cache.rowOf("deep/two.txt") ?? assert.fail("no row")
    assert.isDefined(cache.idIn(row, lstatSync(join(repo, "deep/two.txt"))))
    assert.isFalse(cache.knowsObjects)
    const next = await trees(repo, "next")
    assert.strictEqual(next.tree, first.tree)
    const listed = git(inHome(), `--git-dir=${next.store.dir}`, "ls-tree", "-r", "--name-only", next.tree)
    assert.include(listed.split("\n"), "one.txt")
    writeFileSync(join(repo, "one.txt"), "changed again")
    assert.notStrictEqual((await trees(repo, "later")).tree, first.tree)
  })

  it("does without where it cannot be written", async () => {
    const repo = changedRepo()
    mkdirSync(seen())
    const { store, tree } = await trees(repo, "first")
    assert.strictEqual(git(inHome(), `--git-dir=${store.dir}`, "cat-file", "-t", tree), "tree")
  })
})

describe("ignore rules", () => {
  const slow = (bytes: number): string => "*a*b?c\n".repeat(Math.floor(bytes / 7))
  const frozen = (repo: string) =>
    Effect.flatMap(
      repositoryAt(repo),
      (repository) => Effect.flatMap(openStore(inHome("store"), repository), (store) => freeze(store))
    )
  const failure = (repo: string) =>
    run(
      Effect.map(Effect.flip(frozen(repo)), ({ message }) => message).pipe(
        Effect.provideService(IdentityTimeout, 2000)
      )
    )

  it("of more than 1 MB in one file are refused with the file's name, wherever they are", async () => {
    const repo = makeRepo()
    const excludes = inHome("excludes")
    git(repo, "config", "core.excludesFile", excludes)
    const files = ["deep/.gitignore", ".git/info/exclude"].map((name) => [join(repo, name), name] as const)
    for (const [path, name] of [...files, [excludes, excludes] as const]) {
      writeFileSync(path, slow(1_000_100))
      assert.include(await failure(repo), `${name} has more than 1 MB of ignore rules`)
      rmSync(path)
    }
  })

  it("of many large files end at the time limit", async () => {
    const repo = makeRepo()
    for (let i = 0, path = join(repo, "d"); i < 20; i++, path = join(path, "d")) {
      mkdirSync(path)
      writeFileSync(join(path, ".gitignore"), slow(900_000))
    }
    const begun = performance.now()
    assert.include(await failure(repo), "longer than 2s")
    assert.isBelow(performance.now() - begun, 15_000)
  })

  it("that take long on each of many files leave time for signals", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), slow(900_000))
    for (let i = 0; i < 20_000; i++) writeFileSync(join(repo, `cba${i}`), "")
    const begun = performance.now()
    assert.strictEqual(await run(Effect.race(frozen(repo), Effect.as(Effect.sleep(500), "a signal"))), "a signal")
    assert.isBelow(performance.now() - begun, 15_000)
  })
})

describe("another worktree of the repository, inside of this one,", () => {
  const place = ".claude/worktrees/mate"

  /** What a repository with such a worktree holds, after it was changed. */
  const seen = async (
    change: (repo: string) => void = () => undefined,
    having: (repo: string) => ReadonlyArray<string> = () => [],
    at = place
  ) => {
    const repo = makeRepo()
    git(repo, "worktree", "add", "-q", at, "-b", "mate")
    writeFileSync(join(repo, at, "new.txt"), "theirs")
    change(repo)
    const { store } = await frozenNow(repo)
    const { gitDirectories, nested, otherWorktrees, tree } = await run(freeze(store, { having: having(repo) }))
    const files = git(inHome(), `--git-dir=${store.dir}`, "ls-tree", "-r", "--name-only", tree).trim().split("\n")
    return { otherWorktrees, gitDirectories, nested: nested.map(({ path }) => path), files }
  }

  it("is no part of the code", async () =>
    assert.deepStrictEqual(await seen(), {
      otherWorktrees: [place],
      gitDirectories: [],
      nested: [],
      files: ["deep/two.txt", "one.txt"]
    }))

  it("is one wherever it lies, also seen from another linked one", async () => {
    assert.deepStrictEqual((await seen(undefined, undefined, "wörk tree/x")).nested, [])
    const repo = makeRepo("main")
    git(repo, "worktree", "add", "-q", inHome("linked"), "-b", "linked")
    git(inHome("linked"), "worktree", "add", "-q", "inner", "-b", "inner")
    assert.deepStrictEqual((await frozenNow(inHome("linked"))).frozen.otherWorktrees, ["inner"])
  })

  const commit = (repo: string, message: string) =>
    git(repo, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", message)
  /** Tracks a file below the worktree, as plain files of the repository. */
  const tracked = (repo: string, name = `${place}/one.txt`) => {
    const id = git(repo, "hash-object", "-w", "one.txt").trim()
    git(repo, "update-index", "--add", "--cacheinfo", `100644,${id},${name}`)
  }
  const own = (repo: string) => join(repo, ".git/worktrees/mate")
  const dotGit = (repo: string) => join(repo, place, ".git")

  it.each<readonly [string, (repo: string) => void]>([
    ["the index has a path below it", (repo) => tracked(repo)],
    ["HEAD has a path below it", (repo) => {
      tracked(repo)
      commit(repo, "tracked")
      git(repo, "rm", "-q", "--cached", `${place}/one.txt`)
    }],
    ["HEAD has such a path in another case, where case is ignored", (repo) => {
      tracked(repo, ".claude/Worktrees/MATE/one.txt")
      commit(repo, "tracked")
      git(repo, "rm", "-q", "--cached", ".claude/Worktrees/MATE/one.txt")
      git(repo, "config", "core.ignoreCase", "true")
    }],
    [
      "the index has a submodule there",
      (repo) =>
        git(repo, "update-index", "--add", "--cacheinfo", `160000,${git(repo, "rev-parse", "HEAD").trim()},${place}`)
    ],
    ["it was moved", (repo) => {
      const to = join(repo, "moved")
      renameSync(join(repo, place), to)
    }],
    ["its gitdir names another place", (repo) => writeFileSync(join(own(repo), "gitdir"), `${repo}/deep/.git\n`)],
    [
      "its gitdir names it with a blank behind",
      (repo) => writeFileSync(join(own(repo), "gitdir"), `${dotGit(repo)} \n`)
    ],
    [
      "its gitdir names it by a relative path",
      (repo) => writeFileSync(join(own(repo), "gitdir"), `../../../${place}/.git\n`)
    ],
    [
      "its gitdir names it by a way round",
      (repo) => writeFileSync(join(own(repo), "gitdir"), `${repo}/deep/../${place}/.git\n`)
    ],
    [
      ".git names the directory by a relative path",
      (repo) => writeFileSync(dotGit(repo), "gitdir: ../../../.git/worktrees/mate\n")
    ],
    [".git has another line", (repo) => writeFileSync(dotGit(repo), `${readFileSync(dotGit(repo), "latin1")}\n`)],
    [".git is a link to such a file", (repo) => {
      renameSync(dotGit(repo), join(repo, place, "git"))
      symlinkSync("git", dotGit(repo))
    }],
    ["its directory of git's lies elsewhere", (repo) => {
      renameSync(own(repo), inHome("mate"))
      symlinkSync(inHome("mate"), own(repo))
    }],
    [
      "its directory of git's names another repository",
      (repo) => writeFileSync(join(own(repo), "commondir"), `${repo}/.git\n`)
    ]
  ])("is not one if %s", async (_, change) => {
    const { files, nested, otherWorktrees } = await seen(change)
    assert.deepStrictEqual([otherWorktrees, nested.length], [[], 1])
    assert.include(files.map((name) => name.replace(/^moved/, place)), `${place}/new.txt`)
  })

  it("is one if git names both by relative paths", async () => {
    const { otherWorktrees } = await seen((repo) => {
      writeFileSync(join(own(repo), "gitdir"), `../../../${place}/.git\n`)
      writeFileSync(dotGit(repo), "gitdir: ../../../.git/worktrees/mate\n")
    })
    assert.deepStrictEqual(otherWorktrees, [place])
  })

  it.each([["copied", copyFileSync], ["linked to", linkSync]] as const)(
    "makes no other directory one to which its .git file was %s",
    async (_, put) => {
      const { files, nested, otherWorktrees } = await seen((repo) => put(dotGit(repo), join(repo, "deep/.git")))
      assert.deepStrictEqual([otherWorktrees, nested], [[place], ["deep"]])
      assert.include(files, "deep/two.txt")
    }
  )

  it("is not one within another repository", async () => {
    const { nested, otherWorktrees } = await seen((repo) => git(dirname(join(repo, place)), "init", "-q"))
    assert.deepStrictEqual([otherWorktrees, nested], [[], [".claude/worktrees", place]])
  })

  it("is not one if the commit that the code is compared with has a path below it, or cannot be listed", async () => {
    const having = (repo: string) => {
      tracked(repo)
      const tree = git(repo, "write-tree").trim()
      git(repo, "rm", "-q", "--cached", `${place}/one.txt`)
      return [tree]
    }
    assert.deepStrictEqual((await seen(undefined, having)).otherWorktrees, [])
    rmSync(inHome("repo"), { recursive: true })
    assert.deepStrictEqual((await seen(undefined, () => ["f".repeat(40)])).otherWorktrees, [])
  })
})
