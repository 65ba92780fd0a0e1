// Store.live: a private repository whose packs are whole or not there, and what it does about lost and damaged ones.
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { repositoryAt } from "../../../src/code/Repository.live.ts"
import { adopt, contentsOf, openStore, repair, type Store, writeObjects } from "../../../src/code/Store.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { eachInHome, git, inHome, makeRepo, objectPath, run } from "../../support/repositories.ts"

eachInHome()

const gitProgram = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()

/** Runs an effect with a program in git's place. */
const withGit = <A, E>(script: string, effect: Effect.Effect<A, E>): Promise<A> => {
  writeFileSync(inHome("git"), `#!/bin/sh\n${script}\nexec ${gitProgram} "$@"\n`, { mode: 0o755 })
  return run(Effect.updateService(effect, Environment, (all) => ({ ...all, PATH: `${inHome()}:${all["PATH"]}` })))
}

const opened = async (repo: string): Promise<Store> =>
  run(Effect.flatMap(repositoryAt(repo), (repository) => openStore(inHome("store"), repository)))

const blob = (text: string) => ({ type: "blob", content: Buffer.from(text) }) as const

const packs = (): ReadonlyArray<string> => readdirSync(inHome("store/objects/pack"))
const packed = (end: string): string => inHome("store/objects/pack", packs().find((name) => name.endsWith(end)) ?? "")

const textsOf = async (store: Store, ids: ReadonlyArray<string>) =>
  (await run(contentsOf(store, ids))).map((content) => content?.toString() ?? null)

/** A commit of the private repository with the tree of HEAD, which it borrows. */
const borrowing = async (store: Store, repo: string): Promise<string> => {
  const author = "A <a@example.org> 0 +0000"
  const text = `tree ${git(repo, "rev-parse", "HEAD^{tree}")}\nauthor ${author}\ncommitter ${author}\n\nOne\n`
  const [commit = ""] = await run(writeObjects(store, [{ type: "commit", content: Buffer.from(text) }]))
  return commit
}

// What git leaves on a full disk: an empty index, and the rest of a pack.
const fullAt = (command: string) =>
  `case " $* " in *" ${command} "*)
  last=; out=; for word; do case $last in -o) out=$word;; esac; last=$word; done
  : >"\${out:-\${last%.pack}.idx}"; : >"${inHome("store/objects/pack/tmp_pack_rest")}"
  echo "fatal: write error: No space left on device" >&2; exit 128;;
esac`

describe("a pack", () => {
  let umask = 0
  beforeEach(() => void (umask = process.umask(0)))
  afterEach(() => void process.umask(umask))

  it("and its index are for their user alone, whatever the umask", async () => {
    const repo = makeRepo()
    const store = await opened(repo)
    for (const mask of [0, 0o22, 0o777]) {
      process.umask(mask)
      await run(writeObjects(store, [blob(String(mask))]))
    }
    process.umask(0)
    const commit = await borrowing(store, repo)
    const modes = () => packs().map((name) => statSync(inHome("store/objects/pack", name)).mode & 0o777)
    assert.deepStrictEqual(modes(), Array(8).fill(0o600))
    await run(adopt(store, commit))
    assert.deepStrictEqual(modes(), [0o600, 0o600])
  })

  it("is not there if its index could not be written, and nothing of it stays", async () => {
    const store = await opened(makeRepo())
    const { message } = await withGit(fullAt("index-pack"), Effect.flip(writeObjects(store, [blob("new")])))
    assert.include(message, "No space left on device")
    assert.deepStrictEqual(packs().filter((name) => !name.startsWith("tmp_")), [])
    assert.deepStrictEqual(readdirSync(inHome("store")).filter((name) => /pack|idx/.test(name)), [])
    const ids = await run(writeObjects(store, [blob("new")]))
    assert.deepStrictEqual(await textsOf(store, ids), ["new"])
  })
})

describe("a private repository", () => {
  const damaged: ReadonlyArray<[string, (index: string) => void]> = [
    ["is empty, as after a full disk", (index) => truncateSync(index)],
    ["is missing", (index) => rmSync(index)],
    ["is short", (index) => truncateSync(index, 1100)],
    ["is another pack's", (index) => (appendFileSync(index, Buffer.alloc(40)))]
  ]
  it.each(damaged)("whose index %s gets it anew", async (_, damage) => {
    const store = await opened(makeRepo())
    const ids = await run(writeObjects(store, [blob("one"), blob("two")]))
    chmodSync(packed(".idx"), 0o600)
    damage(packed(".idx"))
    assert.deepStrictEqual(await textsOf(store, ids), [null, null])
    await run(repair(store))
    assert.deepStrictEqual(await textsOf(store, ids), ["one", "two"])
    assert.lengthOf(packs(), 2)
  })

  it("that is whole needs no git", async () => {
    const store = await opened(makeRepo())
    await run(writeObjects(store, [blob("one")]))
    await withGit("exit 1", repair(store))
  })

  it("whose disk is still full keeps its pack", async () => {
    const store = await opened(makeRepo())
    const ids = await run(writeObjects(store, [blob("one")]))
    truncateSync(packed(".idx"))
    const { message } = await withGit(fullAt("index-pack"), Effect.flip(repair(store)))
    assert.include(message, "No space left on device")
    await run(repair(store))
    assert.deepStrictEqual(await textsOf(store, ids), ["one"])
  })

  it.each<[string, (pack: string) => void]>([
    ["cut off", (pack) => truncateSync(pack, 30)],
    ["empty", (pack) => truncateSync(pack)],
    ["written over", (pack) => writeFileSync(pack, Buffer.alloc(60, 7))]
  ])("moves a pack that is %s aside, names it once, and can hold its objects again", async (_, damage) => {
    const store = await opened(makeRepo())
    const ids = await run(writeObjects(store, [blob("one")]))
    writeFileSync(store.cache, "what it knew")
    const pack = packed(".pack")
    damage(pack)
    const bytes = readFileSync(pack)
    assert.include((await run(Effect.flip(repair(store)))).message, pack)
    assert.deepStrictEqual(readFileSync(`${pack}.damaged`), bytes)
    assert.deepStrictEqual([existsSync(pack), existsSync(store.cache)], [false, false])
    await run(repair(store))
    assert.deepStrictEqual(await textsOf(store, ids), [null])
    await run(writeObjects(store, [blob("one")]))
    assert.deepStrictEqual(await textsOf(store, ids), ["one"])
  })
})

describe("what a commit leads to", () => {
  it("is copied, whatever earlier ones lack, and small packs become one", async () => {
    const repo = makeRepo()
    const store = await opened(repo)
    const earlier = await borrowing(store, repo)
    git(inHome("store"), "update-ref", "refs/snapshots/000001", earlier)
    const [own = ""] = await run(writeObjects(store, [blob("own")]))
    rmSync(objectPath(repo, "HEAD:one.txt"))
    writeFileSync(join(repo, "one.txt"), "edited\n")
    git(repo, "commit", "-qam", "Two")
    await run(adopt(store, await borrowing(store, repo)))
    assert.lengthOf(packs(), 2)
    const ids = ["HEAD:one.txt", "HEAD:deep/two.txt"].map((name) => git(repo, "rev-parse", name))
    renameSync(join(repo, ".git/objects"), inHome("gone"))
    assert.deepStrictEqual(await textsOf(store, [own, ...ids]), ["own", "edited\n", "deep/two.txt\n"])
  })

  it("is refused if it is not all there, or the disk is full, and leaves nothing behind", async () => {
    const repo = makeRepo()
    const store = await opened(repo)
    const commit = await borrowing(store, repo)
    const full = await withGit(fullAt("pack-objects"), Effect.flip(adopt(store, commit)))
    assert.include(full.message, "No space left on device")
    rmSync(objectPath(repo, "HEAD:deep/two.txt"))
    assert.include((await run(Effect.flip(adopt(store, commit)))).message, "is missing or damaged")
    assert.deepStrictEqual(packs().filter((name) => name.startsWith("tmp_")), [])
    assert.lengthOf(packs(), 2)
  })
})
