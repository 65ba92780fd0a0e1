// The digest of a worktree's files: every name, mode and byte that git would add counts, through no filter.
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { contentsOf, everyFileOf } from "../../../src/code/Capture.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const contents = (repo: string): Promise<string> => run(Effect.map(contentsOf(repo), ({ digest }) => digest))

describe("the contents of a worktree", () => {
  it("are the same each time, and marked as no tree of git's", async () => {
    const repo = makeRepo()
    const digest = await contents(repo)
    assert.match(digest, /^contents-[0-9a-f]{64}$/)
    assert.strictEqual(await contents(repo), digest)
    assert.strictEqual(await contents(makeRepo("another")), digest)
  })

  it.each<[string, (repo: string) => void]>([
    ["a text", (repo) => appendFileSync(join(repo, "one.txt"), "more")],
    ["a mode", (repo) => chmodSync(join(repo, "one.txt"), 0o755)],
    ["a name", (repo) => renameSync(join(repo, "one.txt"), join(repo, "uno.txt"))],
    ["a deletion", (repo) => rmSync(join(repo, "one.txt"))],
    ["an untracked file", (repo) => writeFileSync(join(repo, "new.txt"), "")],
    ["a link in the place of a file", (repo) => {
      unlinkSync(join(repo, "one.txt"))
      symlinkSync("deep/two.txt", join(repo, "one.txt"))
    }],
    ["a pipe in the place of a file", (repo) => {
      unlinkSync(join(repo, "one.txt"))
      execFileSync("mkfifo", [join(repo, "one.txt")])
    }],
    ["a repository in it", (repo) => {
      mkdirSync(join(repo, "nested"))
      git(join(repo, "nested"), "init", "-q")
      git(join(repo, "nested"), "commit", "-q", "--allow-empty", "-m", "Nested")
    }]
  ])("change with %s", async (_, change) => {
    const repo = makeRepo()
    const before = await contents(repo)
    change(repo)
    assert.notStrictEqual(await contents(repo), before)
  })

  it("do not change with ignored files, nor with what git would make of line endings", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "*.log\n")
    writeFileSync(join(repo, "dos.txt"), "a\r\n")
    const before = await contents(repo)
    writeFileSync(join(repo, "a.log"), "x")
    git(repo, "config", "core.autocrlf", "input")
    assert.strictEqual(await contents(repo), before)
    writeFileSync(join(repo, "dos.txt"), "a\n")
    assert.notStrictEqual(await contents(repo), before)
  })

  it("are told apart where a name and a text meet at other places", async () => {
    const [one, other] = [makeRepo("a"), makeRepo("b")]
    writeFileSync(join(one, "ab"), "c")
    writeFileSync(join(other, "a"), "bc")
    assert.notStrictEqual(await contents(one), await contents(other))
  })

  it("of no repository are why not", async () =>
    assert.match(await run(Effect.flip(contentsOf(inHome()))), /^fatal: not a git repository/))
})

describe("the files of a directory of which git can tell nothing", () => {
  it("count all, also ignored ones, but for the repository's own", async () => {
    mkdirSync(inHome("dir", "deep"), { recursive: true })
    writeFileSync(inHome("dir", ".git"), "gitdir: nowhere\n")
    writeFileSync(inHome("dir", "deep", "file"), "x")
    const before = await run(everyFileOf(inHome("dir")))
    writeFileSync(inHome("dir", ".git"), "gitdir: elsewhere\n")
    assert.deepStrictEqual(await run(everyFileOf(inHome("dir"))), before)
    writeFileSync(inHome("dir", "deep", "file"), "y")
    assert.notStrictEqual((await run(everyFileOf(inHome("dir")))).digest, before.digest)
  })

  it("that is not there are why not", async () =>
    assert.match(await run(Effect.flip(everyFileOf(inHome("nothing")))), /^ENOENT/))
})
