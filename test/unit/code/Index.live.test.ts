// The index as it is listed: entries with their stages, flags apart, names as bytes.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import {
  directoriesIn,
  hasNewName,
  isRepository,
  type Listed,
  listIndex,
  nameOf,
  repositoriesIn,
  unhide
} from "../../../src/code/Index.live.ts"
import { type Scratch, scratchOf } from "../../../src/code/Scratch.live.ts"
import { eachInHome, git, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const within = <A>(repo: string, use: (scratch: Scratch, listed: Listed) => Effect.Effect<A, string>): Promise<A> =>
  run(Effect.scoped(Effect.gen(function*() {
    const scratch = yield* scratchOf(repo)
    return yield* use(scratch, yield* listIndex(repo, scratch))
  })))
/** The names in an index. */
const namesIn = ({ text }: Listed): ReadonlyArray<string> =>
  text.split("\0").filter((entry) => entry !== "").map((entry) => entry.slice(entry.indexOf("\t") + 1))
const listed = (repo: string): Promise<Listed> => within(repo, (_, listed) => Effect.succeed(listed))

describe("an index", () => {
  it("is its entries, and another one with every change that is staged", async () => {
    const repo = makeRepo()
    const before = await listed(repo)
    assert.deepStrictEqual(namesIn(before), ["deep/two.txt", "one.txt"])
    assert.deepStrictEqual(await listed(repo), before)
    writeFileSync(join(repo, "one.txt"), "changed\n")
    assert.strictEqual((await listed(repo)).digest, before.digest)
    git(repo, "add", "one.txt")
    assert.notStrictEqual((await listed(repo)).digest, before.digest)
  })

  it("keeps names that are no UTF-8, or hold what its list is written with", async () => {
    const repo = makeRepo()
    const names = ["tab\there", "ü", "160000 x", "S y"]
    for (const name of names) writeFileSync(join(repo, name), "")
    writeFileSync(Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0xff, 0xfe])]), "")
    git(repo, "add", "--all")
    const found = await listed(repo)
    assert.includeMembers(namesIn(found).map(nameOf), names)
    assert.include(namesIn(found), "\xff\xfe")
    assert.deepStrictEqual(repositoriesIn(found), [])
  })

  it("tells the flags that hide changes apart from its entries", async () => {
    const repo = makeRepo()
    const before = await listed(repo)
    git(repo, "update-index", "--assume-unchanged", "one.txt")
    git(repo, "update-index", "--skip-worktree", "deep/two.txt")
    const hidden = await listed(repo)
    assert.strictEqual(hidden.text, before.text)
    assert.notStrictEqual(hidden.digest, before.digest)
    assert.deepStrictEqual(hidden.hidden, { assumed: ["one.txt"], skipped: ["deep/two.txt"] })
    const shown = await within(
      repo,
      (scratch, found) => Effect.andThen(unhide(repo, scratch, found), listIndex(repo, scratch))
    )
    assert.deepStrictEqual(shown.hidden, { assumed: [], skipped: [] })
    assert.deepStrictEqual((await listed(repo)).hidden, hidden.hidden)
  })

  it("has a new name or has none, whatever else has changed, gone or is unmerged", () => {
    const list = (...entries: ReadonlyArray<string>): Listed => ({
      text: entries.map((entry) => `100644 ${entry.replace(" ", "\t")}\0`).join(""),
      digest: "",
      hidden: { assumed: [], skipped: [] }
    })
    const before = list("a0 a", "b1 b", "b2 b", "d0 d")
    const same = [
      before,
      list(),
      list("a9 a", "b1 b", "b2 b", "d0 d"),
      list("b0 b"),
      list("a0 a", "d0 d"),
      list("b1 b", "b3 b"),
      list("d9 d"),
      list("a0 a", "a1 a", "d0 d"),
      list("d0 d", "d1 d")
    ]
    const more = [
      list("a0 a", "b1 b", "b2 b", "c0 c", "d0 d"),
      list("0 0", "a0 a"),
      list("a0 a", "a0 aa"),
      list("d0 d", "e0 e"),
      list("e0 e"),
      list("a9 a", "a.0 a.")
    ]
    assert.deepStrictEqual(same.map((now) => hasNewName(before, now)), same.map(() => false))
    assert.deepStrictEqual(more.map((now) => hasNewName(before, now)), more.map(() => true))
    assert.isTrue(hasNewName(list(), list("a0 a")))
  })

  it("names the repositories in it, which a worktree tells by what every one of them has", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("other"))
    assert.deepStrictEqual(repositoriesIn(await listed(repo)), ["lib"])
    makeRepo("repo/inner")
    git(repo, "add", "inner")
    assert.deepStrictEqual(repositoriesIn(await listed(repo)), ["inner", "lib"])
    mkdirSync(join(repo, "plain"))
    assert.deepStrictEqual([isRepository(repo, "lib"), isRepository(repo, "plain")], [true, false])
  })
})

describe("the directories in an index", () => {
  it("are those of its files and all above them", () => {
    const entries = ["a/b/c/one", "a/b/two", "three", "x y/four\tfive", "z/z/z"]
    const text = entries.map((name) => `100644 ${"0".repeat(40)} 0\t${name}\0`).join("")
    assert.sameMembers([...directoriesIn({ text })], ["", "a/b/c", "a/b", "a", "x y", "z/z", "z"])
    assert.sameMembers([...directoriesIn({ text: "" })], [""])
  })
})
