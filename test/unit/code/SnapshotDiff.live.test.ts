// What two snapshots hold differently: names, and a diff that is bounded and that nothing of the repository decides.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { changedIn, diffOf } from "../../../src/code/SnapshotTree.live.ts"
import { eachInHome, git, makeRepo, run } from "./repositories.ts"
import { aRun, asking, take } from "./snapshots.ts"

eachInHome()

/** The diff between a repository's snapshots before and after an edit. */
const diff = async (repo: string, edit: () => void, most = 10_000) => {
  await take(repo)
  edit()
  await take(repo)
  return await asking((snapshots) => snapshots.diff(aRun(), repo, { before: 1, after: 2 }, most))
}

describe("a diff", () => {
  it("shows what was changed, added and removed, under the names that people read", async () => {
    const repo = makeRepo()
    const { files, text, whole } = await diff(repo, () => {
      appendFileSync(join(repo, "one.txt"), "more\n")
      rmSync(join(repo, "deep/two.txt"))
      writeFileSync(join(repo, "ü new.txt"), "new\n")
      writeFileSync(join(repo, "two\nlines"), "<b>\n")
    })
    assert.deepStrictEqual(files, ["deep/two.txt", "one.txt", "two\\nlines", "ü new.txt"])
    assert.match(text, /^\+<b>$/m)
    assert.match(text, /^\+more$/m)
    assert.match(text, /^-deep\/two.txt$/m)
    assert.match(text, /^\+new$/m)
    assert.include(text, "b/ü new.txt")
    assert.isTrue(whole)
  })

  it("runs no program of the repository", async () => {
    const repo = makeRepo()
    const mark = join(repo, "ran")
    writeFileSync(join(repo, ".gitattributes"), "*.txt diff=evil\n")
    git(repo, "config", "diff.evil.textconv", `touch '${mark}'; cat`)
    git(repo, "config", "diff.external", `touch '${mark}'`)
    git(repo, "config", "color.ui", "always")
    const { files, text } = await diff(repo, () => appendFileSync(join(repo, "one.txt"), "more\n"))
    assert.deepStrictEqual(files, ["one.txt"])
    assert.match(text, /^\+more$/m)
  })

  it("is bounded: files that are too long for it are named alone", async () => {
    const repo = makeRepo()
    const long = await diff(repo, () => {
      writeFileSync(join(repo, "a-long.txt"), "line\n".repeat(5000))
      appendFileSync(join(repo, "one.txt"), "more\n")
    }, 4000)
    assert.deepStrictEqual([long.files, long.whole], [["a-long.txt", "one.txt"], false])
    assert.match(long.text, /^\+more$/m)
    assert.notInclude(long.text, "+line")
  })

  it("is cut where a line is very long", async () => {
    const repo = makeRepo()
    const { text, whole } = await diff(repo, () => writeFileSync(join(repo, "wide.txt"), "x".repeat(50_000)), 4000)
    assert.isAtMost(text.length, 4001)
    assert.isFalse(whole)
  })

  it("is empty where nothing differs, and goes into the repositories within", async () => {
    const repo = makeRepo()
    const nested = join(repo, "nested")
    mkdirSync(nested)
    git(nested, "init", "-q")
    writeFileSync(join(nested, "file"), "x\n")
    const { files, text } = await diff(repo, () => writeFileSync(join(nested, "file"), "y\n"))
    assert.include(files, "nested/file")
    assert.match(text, /^\+y$/m)
    const none = await asking((snapshots) => snapshots.diff(aRun(), repo, { before: 2, after: 2 }, 100))
    assert.deepStrictEqual(none, { files: [], text: "", whole: true })
  })

  it("is none of a snapshot that is not there", async () => {
    const repo = makeRepo()
    await take(repo)
    const error = await asking((snapshots) => snapshots.diff(aRun(), repo, { before: 1, after: 7 }, 100)).catch(String)
    assert.match(String(error), /there is no snapshot 7/)
  })
})

it("names and patterns are those of one pair of commits", async () => {
  const repo = makeRepo()
  const [from, to] = [
    (await take(repo)).commit,
    (writeFileSync(join(repo, "deep/new.txt"), "new\n"), await take(repo)).commit
  ]
  const pair = { root: repo, from, to, prefix: "in/" }
  assert.deepStrictEqual(await run(changedIn(pair, ["*.txt"])), ["in/deep/new.txt"])
  assert.deepStrictEqual(await run(changedIn(pair, ["/*.txt"])), [])
  assert.deepStrictEqual((await run(diffOf(pair, 1000))).files, ["in/deep/new.txt"])
})
