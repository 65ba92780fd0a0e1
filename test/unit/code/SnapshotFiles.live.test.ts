// The tree of a snapshot: untracked files too, without ignored ones, and what is too large or unreadable is named.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { scratchOf } from "../../../src/code/Scratch.live.ts"
import { factsAt, fileAll, isWithin, largestFile } from "../../../src/code/SnapshotTree.live.ts"
import { eachInHome, git, makeRepo, run } from "./repositories.ts"

eachInHome()

const filed = (repo: string, also: ReadonlyArray<string> = []) =>
  run(Effect.scoped(Effect.flatMap(scratchOf(repo, "kept"), (scratch) => fileAll(repo, scratch, also))))

const names = ({ entries }: Awaited<ReturnType<typeof filed>>) => entries.map(({ name }) => name)

it("holds tracked and untracked files, and ignored ones only where it is asked to", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, ".gitignore"), "*.log\n")
  writeFileSync(join(repo, "a.log"), "x")
  writeFileSync(join(repo, "new"), "x")
  assert.deepStrictEqual(names(await filed(repo)), [".gitignore", "deep/two.txt", "new", "one.txt"])
  assert.include(names(await filed(repo, ["a.log", "deep", "none"])), "a.log")
})

it("leaves out files over 10 MiB and folders of 200 files, one less stays", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, "large"), Buffer.alloc(largestFile + 1))
  writeFileSync(join(repo, "limit"), Buffer.alloc(largestFile))
  for (const [folder, count] of [["full", 200], ["less", 199]] as const) {
    mkdirSync(join(repo, folder, "in"), { recursive: true })
    for (let i = 0; i < count; i++) writeFileSync(join(repo, folder, "in", `${i}`), "x")
  }
  const { entries, leftOut } = await filed(repo)
  assert.deepStrictEqual(leftOut, ["full/", "large"])
  assert.lengthOf(entries.filter(({ name }) => name.startsWith("less/")), 199)
  assert.include(names(await filed(repo, ["large"])), "large")
})

it.skipIf(process.getuid?.() === 0)("names what cannot be read, tracked or not", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, "one.txt"), "edited")
  writeFileSync(join(repo, "secret"), "x")
  for (const name of ["one.txt", "secret"]) chmodSync(join(repo, name), 0o000)
  const found = await filed(repo)
  assert.deepStrictEqual([...found.leftOut].sort(), ["one.txt", "secret"])
  assert.deepStrictEqual(names(found), ["deep/two.txt"])
})

it("names the repositories within, and holds nothing of them", async () => {
  const repo = makeRepo()
  mkdirSync(join(repo, "fresh"))
  git(join(repo, "fresh"), "init", "-q")
  writeFileSync(join(repo, "fresh/file"), "x")
  const found = await filed(repo)
  assert.deepStrictEqual([found.repositories, found.leftOut], [["fresh"], []])
  assert.deepStrictEqual(names(found), ["deep/two.txt", "one.txt"])
})

it("tells what a path is without following links", () => {
  const repo = makeRepo()
  symlinkSync("deep", join(repo, "way"))
  assert.isTrue(factsAt(repo, "way")?.isSymbolicLink())
  assert.isNull(factsAt(repo, "one.txt/below"))
  assert.isNull(factsAt(repo, "none"))
  assert.deepStrictEqual([isWithin("a/b", "a/"), isWithin("ab", "a"), isWithin("a", "a")], [true, false, true])
})
