// CopyUpdate: whether a copy is what was made, the next one in its place, and what is said where none can be made.
import { spawnSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { type Copy, copyChanges, type CopyOptions, makeCopy, updateCopy } from "../../../src/code/Copy.live.ts"
import { asked, copied, filesIn, frozenNow, type Made, plain, seenIn } from "./copies.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

describe("the changes of a copy", () => {
  it("are none after a reviewer asked git for everything, even if git wrote its index", async () => {
    const repo = makeRepo()
    appendFileSync(join(repo, "one.txt"), "more\n")
    const { copy, store } = await copied(repo)
    seenIn(copy.place, "reviewer", "HEAD")
    seenIn(copy.place, "person", "HEAD")
    mkdirSync(join(copy.place, "empty/directory"), { recursive: true })
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
  })

  it("are every path that was changed, added or removed, with its stamps kept as well", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "ignored\n")
    for (const name of ["mode", "type", "same-size", "caf\u00e9"]) writeFileSync(join(repo, name), "x\n")
    symlinkSync("mode", join(repo, "link"))
    const { copy, store } = await copied(repo)
    const at = (name: string) => join(copy.place, name)
    chmodSync(at("mode"), 0o755)
    for (const name of ["type", "link"]) rmSync(at(name))
    symlinkSync("mode", at("type"))
    symlinkSync("type", at("link"))
    writeFileSync(at("same-size"), "y\n")
    writeFileSync(at("caf\u00e9"), "y\n")
    writeFileSync(at("ignored"), "x\n")
    mkdirSync(at("new/.git"), { recursive: true })
    writeFileSync(at("new/.git/HEAD"), "x\n")
    rmSync(at("deep"), { recursive: true })
    mkdirSync(at("sub"))
    rmSync(at("one.txt"))
    mkdirSync(at("one.txt"))
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [
      "caf\xc3\xa9",
      "deep/two.txt",
      "ignored",
      "link",
      "mode",
      "new/.git/HEAD",
      "one.txt",
      "same-size",
      "type"
    ])
  })

  it("are all its files where it is gone", async () => {
    const { copy, store } = await copied(makeRepo())
    rmSync(copy.place, { recursive: true })
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [".git", "deep/two.txt", "one.txt"])
  })

  it("are `.git` where git would show it otherwise", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("lib"))
    const { copy, store } = await copied(repo)
    const inPlace = (...args: ReadonlyArray<string>) => git(copy.place, ...args)
    const head = git(repo, "rev-parse", "HEAD")
    const ways: ReadonlyArray<readonly [() => unknown, () => unknown]> = [
      [() => inPlace("config", "diff.external", "true"), () => inPlace("config", "--unset", "diff.external")],
      [() => inPlace("update-ref", "refs/replace/x", head), () => inPlace("update-ref", "-d", "refs/replace/x")],
      [
        () => inPlace("update-index", "--assume-unchanged", "one.txt"),
        () => inPlace("update-index", "--no-assume-unchanged", "one.txt")
      ],
      [
        () => git(join(copy.place, "lib"), "update-index", "--skip-worktree", "one.txt"),
        () => git(join(copy.place, "lib"), "update-index", "--no-skip-worktree", "one.txt")
      ]
    ]
    for (const [change, back] of ways) {
      change()
      assert.deepStrictEqual(await run(copyChanges(store, copy)), [".git"])
      back()
    }
  })
})

/** All that a copy is: its files, what git shows, and its git directory but for stamps and caches. */
const whole = ({ place }: Copy) => {
  const git = join(place, ".git")
  const names = readdirSync(git, { recursive: true, encoding: "utf8" }).filter((name) => !/^objects/.test(name)).sort()
  return {
    files: filesIn(place),
    seen: seenIn(place, "reviewer", "HEAD"),
    index: asked(place, "reviewer", "ls-files", "--stage", "-v", "-z"),
    names,
    texts: Object.fromEntries(
      Object.entries(filesIn(git)).filter(([name]) => !/^(index|laid|objects)/.test(name))
        .map(([name, text]) => [name, text.replaceAll(place, "PLACE")])
    ),
    directories: readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((name) => !/(^|\/)\.git\//.test(name) && lstatSync(join(place, name)).isDirectory()).sort()
  }
}

/** Updates a copy to what a worktree is now; the result is what a new copy is. */
const updated = async (repo: string, { copy }: Made, more: Partial<CopyOptions> = {}): Promise<Copy> => {
  const { frozen, store } = await frozenNow(repo)
  const options = { ...plain, ...more }
  const next = await run(updateCopy(store, copy, frozen, copy.place, options))
  const fresh = await run(makeCopy(store, frozen, inHome("fresh"), options))
  assert.deepStrictEqual(whole(next), whole(fresh))
  assert.deepStrictEqual({ ...next, place: "", shown: "" }, { ...fresh, place: "", shown: "" })
  assert.deepStrictEqual(await run(copyChanges(store, next)), [])
  return next
}

describe("the next copy in the place of one", () => {
  it("writes the files that differ and no other, and is what a new one is", async () => {
    const repo = makeRepo()
    for (const name of ["gone", "to-directory", "kept"]) writeFileSync(join(repo, name), "x\n")
    const made = await copied(repo)
    const inode = (name: string) => lstatSync(join(made.copy.place, name), { bigint: true }).ino
    const before = ["kept", "deep/two.txt"].map(inode)
    appendFileSync(join(repo, "one.txt"), "more\n")
    for (const name of ["gone", "to-directory"]) rmSync(join(repo, name))
    mkdirSync(join(repo, "to-directory"))
    writeFileSync(join(repo, "to-directory/new"), "x\n")
    git(repo, "add", "kept")
    git(repo, "commit", "-qm", "Kept")
    await updated(repo, made)
    assert.deepStrictEqual(["kept", "deep/two.txt"].map(inode), before)
  })

  it("is the same for another index, base, link and trusted tree on the same code", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "AGENTS.md"), "first\n")
    writeFileSync(join(repo, ".gitignore"), "node_modules\n")
    mkdirSync(join(repo, "node_modules"))
    const first = (await frozenNow(repo)).frozen.tree
    writeFileSync(join(repo, "AGENTS.md"), "later\n")
    mkdirSync(join(repo, ".agents"))
    writeFileSync(join(repo, ".agents/new"), "x\n")
    const made = await copied(repo, { trusted: first, link: ["node_modules"] })
    git(repo, "add", ".")
    const commit = git(repo, "rev-parse", "HEAD")
    const later = (await frozenNow(repo)).frozen.tree
    const second = await updated(repo, made, { trusted: later, base: { name: "base", commit } })
    const third = await updated(repo, { ...made, copy: second }, { trusted: first, link: ["node_modules"] })
    await updated(repo, { ...made, copy: third })
  })

  it("is the same where a submodule comes, changes or goes", async () => {
    const repo = makeRepo()
    const lib = makeRepo("lib")
    const made = await copied(repo)
    submodule(repo, lib)
    const second = await updated(repo, made)
    appendFileSync(join(repo, "lib/one.txt"), "more\n")
    const third = await updated(repo, { ...made, copy: second })
    rmSync(join(repo, "lib"), { recursive: true })
    await updated(repo, { ...made, copy: third })
  })

  it("is made anew where something changed in the one before, or its own index is damaged", async () => {
    const repo = makeRepo()
    const made = await copied(repo)
    appendFileSync(join(made.copy.place, "one.txt"), "changed here\n")
    writeFileSync(join(made.copy.place, "new"), "x\n")
    const second = await updated(repo, made)
    writeFileSync(join(made.copy.place, ".git/laid"), "no index")
    const third = await updated(repo, { ...made, copy: second })
    rmSync(third.place, { recursive: true })
    const fourth = await updated(repo, { ...made, copy: third })
    mkdirSync(join(repo, ".Git"))
    writeFileSync(join(repo, ".Git/x"), "x\n")
    const fifth = await updated(repo, { ...made, copy: fourth })
    rmSync(join(repo, ".Git"), { recursive: true })
    await updated(repo, { ...made, copy: fifth })
  })
})

describe("where no copy can be made", () => {
  it("one line names the place, and nothing is left there", async () => {
    writeFileSync(inHome("file"), "x\n")
    const { frozen, store } = await frozenNow(makeRepo())
    for (const place of [inHome("file/copy"), "/proc/copy"]) {
      const { message } = await run(Effect.flip(makeCopy(store, frozen, place, plain)))
      assert.isTrue(message.startsWith(`${place}: `), message)
      assert.notInclude(message, "\n")
      assert.isFalse(existsSync(place))
    }
  })

  const isMountable = spawnSync("unshare", ["--mount", "true"]).status === 0 && process.getuid?.() === 0
  it.skipIf(!isMountable)("a full disk is named as well", async () => {
    const repo = makeRepo()
    for (let i = 0; i < 64; i++) writeFileSync(join(repo, `large-${i}`), "x".repeat(64 * 1024))
    const { frozen, store } = await frozenNow(repo)
    mkdirSync(inHome("disk"))
    assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "none", inHome("disk")]).status, 0)
    try {
      const { message } = await run(Effect.flip(makeCopy(store, frozen, inHome("disk/copy"), plain)))
      assert.strictEqual(message, `${inHome("disk/copy")}: the disk is full (ENOSPC: write)`)
      assert.deepStrictEqual(readdirSync(inHome("disk")), [])
    } finally {
      spawnSync("umount", ["-l", inHome("disk")])
    }
  })

  it("an object that is missing is named", async () => {
    const { frozen, store } = await frozenNow(makeRepo())
    const missing = { ...frozen, tree: "1".repeat(40) }
    const failure = await run(Effect.flip(makeCopy(store, missing, inHome("copy"), plain)))
    assert.match(failure.message, /^git: ls-tree: .*not a tree object/)
    assert.isFalse(existsSync(inHome("copy")))
  })
})
