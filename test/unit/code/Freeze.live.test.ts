// Freeze.live: what a first freeze borrows. That it sees every file is the law in `property/Freeze.property.test.ts`.
import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { freeze } from "../../../src/code/Freeze.live.ts"
import { repositoryAt } from "../../../src/code/Repository.live.ts"
import { loadCache, saveCache, statNumbers } from "../../../src/code/StatCache.live.ts"
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
    const row = {
      path: "one.txt",
      stat: statNumbers(lstatSync(path)),
      id: Buffer.from(before, "hex").toString("latin1")
    }
    saveCache(store, [row], new Set(), "")
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
