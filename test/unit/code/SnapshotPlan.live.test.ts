// What has to be done for an undo, and what is in its way.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { scratchOf } from "../../../src/code/Scratch.live.ts"
import { changesBetween, directoriesTo, emptied, planOf } from "../../../src/code/SnapshotRestore.live.ts"
import { eachInHome, git, makeRepo, run } from "./repositories.ts"
import { restore, take } from "./snapshots.ts"

eachInHome()

it("the directories on the way to a path are the outer ones first", () =>
  assert.deepStrictEqual([directoriesTo("a/b/c"), directoriesTo("a")], [["a", "a/b"], []]))

it("a plan names what is removed and written, and the directories that may go", async () => {
  const repo = makeRepo()
  const to = await take(repo)
  rmSync(join(repo, "deep"), { recursive: true })
  mkdirSync(join(repo, "new/er"), { recursive: true })
  writeFileSync(join(repo, "new/er/file"), "x")
  const present = await take(repo)
  const told = await run(Effect.scoped(Effect.gen(function*() {
    const scratch = yield* scratchOf(repo)
    const plan = yield* planOf(repo, present.commit, to, scratch)
    const gone = yield* emptied(repo, present.commit, to.commit, scratch)
    return { plan, gone, changes: yield* changesBetween(repo, to.commit, to.commit, scratch) }
  })))
  assert.deepStrictEqual(told.plan.removed, ["new/er/file"])
  assert.deepStrictEqual(told.plan.written.map(({ name }) => name), ["deep/two.txt"])
  assert.deepStrictEqual([told.gone, told.changes], [["new/er", "new"], []])
})

describe("an undo is refused before it begins, and nothing is changed, where", () => {
  const refused = async (repo: string, number = 1): Promise<string> => {
    const refs = git(repo, "for-each-ref")
    const status = git(repo, "status", "--porcelain", "--ignored")
    const error: unknown = await restore(repo, number).catch((failed: unknown) => failed)
    assert.strictEqual(git(repo, "for-each-ref"), refs)
    assert.strictEqual(git(repo, "status", "--porcelain", "--ignored"), status)
    return error instanceof Error ? error.message : "done"
  }

  it("an ignored file lies in the place of a file", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "*.log\n")
    await take(repo)
    rmSync(join(repo, "one.txt"))
    mkdirSync(join(repo, "one.txt"))
    writeFileSync(join(repo, "one.txt/a.log"), "x")
    assert.match(await refused(repo), /^one\.txt cannot be put back: one\.txt\/a\.log, which no snapshot holds, is in/)
  })

  it("an ignored file lies in the place of a directory", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "deep\n!deep/\n")
    git(repo, "add", ".")
    await take(repo)
    rmSync(join(repo, "deep"), { recursive: true })
    writeFileSync(join(repo, "deep"), "x")
    assert.match(await refused(repo), /^deep\/two\.txt cannot be put back: deep, which no snapshot holds/)
  })

  it("a pipe lies in the place of a file", async () => {
    const repo = makeRepo()
    await take(repo)
    rmSync(join(repo, "one.txt"))
    execFileSync("mkfifo", [join(repo, "one.txt")])
    assert.match(await refused(repo), /^one\.txt cannot be put back: one\.txt, which no snapshot holds/)
  })
})
