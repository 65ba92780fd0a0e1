// A scratch beside a worktree: git writes there, reads both, and nothing is left of it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { git as ask } from "../../../src/platform/GitCommand.ts"
import { gitPaths, roomIn, type Scratch, scratchOf } from "../../../src/code/Scratch.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const within = <A>(repo: string, use: (scratch: Scratch) => Effect.Effect<A, string>): Promise<A> =>
  run(Effect.scoped(Effect.flatMap(scratchOf(repo), use)))

describe("a scratch", () => {
  const names = ["repo", "co:lon", 'quo"te:d', "back\\slash:ed"]
  it.each(names)("of %j is written in the place of the repository", async (name) => {
    const repo = makeRepo(name)
    const objects = readdirSync(join(repo, ".git", "objects"), { recursive: true }).length
    const index = readFileSync(join(repo, ".git", "index"))
    writeFileSync(join(repo, "new.txt"), "new\n")
    let dir = ""
    const tree = await within(repo, (scratch) =>
      Effect.gen(function*() {
        dir = scratch.dir
        assert.strictEqual((yield* ask(repo, ["add", "--all"], scratch.env)).code, 0)
        return (yield* ask(repo, ["write-tree"], scratch.env)).stdout.trim()
      }))
    assert.isFalse(existsSync(dir))
    assert.lengthOf(readdirSync(join(repo, ".git", "objects"), { recursive: true }), objects)
    assert.isTrue(index.equals(readFileSync(join(repo, ".git", "index"))))
    git(repo, "add", "--all")
    assert.strictEqual(git(repo, "write-tree"), tree)
  })

  it("reads the objects that the environment already leads to", async () => {
    const [repo, other] = [makeRepo("repo"), makeRepo("other")]
    writeFileSync(join(other, "only-there.txt"), "only there\n")
    const blob = git(other, "hash-object", "-w", "only-there.txt")
    vi.stubEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES", join(other, ".git", "objects"))
    const found = await within(repo, ({ env }) => ask(repo, ["cat-file", "-t", blob], env))
    assert.strictEqual(found.stdout, "blob\n")
  })

  it("lies outside the worktree, wherever TMPDIR leads", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "tmp"))
    for (const temporary of [join(repo, "tmp"), inHome("missing"), "tmp", ""]) {
      vi.stubEnv("TMPDIR", temporary)
      const dir = await within(repo, (scratch) => Effect.succeed(scratch.dir))
      assert.notInclude(dir, repo)
      assert.isEmpty(readdirSync(join(repo, "tmp")))
    }
  })

  it.each(["repo", "line\nbreak"])("knows the files of a repository in %j", async (name) => {
    const repo = makeRepo(name)
    const expected = ["HEAD", "info/exclude", "index"].map((file) => join(repo, ".git", file))
    assert.deepStrictEqual(await run(gitPaths(repo, ["HEAD", "info/exclude", "index"])), expected)
  })

  it("without room is told apart from one in which git could not tell a tree", async () => {
    const repo = makeRepo()
    const left = await within(
      repo,
      (scratch) => Effect.andThen(roomIn(scratch), Effect.sync(() => readdirSync(scratch.dir)))
    )
    assert.notInclude(left, "probe")
    const told = (scratch: Scratch) =>
      Effect.mapError(Effect.flip(roomIn({ ...scratch, dir: inHome("no", "scratch") })), () => "there was room")
    // Want of space is said of nothing else.
    assert.match(await within(repo, told), /^the code cannot be read in .*\/no: .*\bENOENT\b/)
  })

  it("of no repository is why not", async () =>
    assert.match(await run(Effect.scoped(Effect.flip(scratchOf(inHome())))), /^fatal: not a git repository/))
})
