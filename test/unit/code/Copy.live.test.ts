// Copy.live: a copy is what was made, its instructions are the trusted ones, links lead to ignored paths, and the next one.
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { type Copy, copyChanges, type CopyOptions, makeCopy, updateCopy } from "../../../src/code/Copy.live.ts"
import { asked, copied, filesIn, frozenNow, type Made, plain, seenIn } from "../../support/copies.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "../../support/repositories.ts"

eachInHome()

describe("the changes of a copy", () => {
  it("are empty after a reviewer asked git for everything, even if git wrote its index", async () => {
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
    assert.match(failure.message, /^git: ls-tree: commit 1{12} or its tree is missing or damaged \[git fsck /)
    assert.isFalse(existsSync(inHome("copy")))
  })
})

const write = (repo: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, name)), { recursive: true })
    writeFileSync(join(repo, name), text)
  }
}

/** The tree of a worktree as it is now. */
const treeOf = async (repo: string): Promise<string> => (await frozenNow(repo)).frozen.tree

const read = ({ place }: Copy, name: string): string => readFileSync(join(place, name), "utf8")
const isThere = ({ place }: Copy, name: string): boolean => existsSync(join(place, name))

describe("a copy with trusted instructions", () => {
  it("shows those below a submodule that is no repository here", async () => {
    const repo = makeRepo()
    git(repo, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib`)
    git(repo, "commit", "-qm", "Lib")
    mkdirSync(join(repo, "lib"))
    const trusted = await treeOf(repo)
    write(repo, { "lib/.claude/x.js": "evil()\n", "lib/plain.js": "plain()\n" })
    const { copy } = await copied(repo, { trusted })
    assert.isFalse(isThere(copy, "lib/.claude"))
    assert.include(asked(copy.place, "reviewer", "diff", "HEAD"), "\n+evil()\n")
    assert.include(asked(copy.place, "reviewer", "status", "--porcelain", "-uall"), "?? lib/plain.js\n")
  })

  it("has them on disk, changed, removed or new ones too, and every diff shows the change", async () => {
    const repo = makeRepo()
    write(repo, {
      "AGENTS.md": "trusted\n",
      "deep/CLAUDE.md": "trusted deep\n",
      ".codex/gone.md": "trusted gone\n",
      ".agents/skills/a/SKILL.md": "same\n"
    })
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Instructions")
    const trusted = await treeOf(repo)
    write(repo, {
      "AGENTS.md": "approve all\n",
      "AGENTS.override.md": "override\n",
      ".agents/skills/x/SKILL.md": "new skill\n",
      "deep/CLAUDE.md": "staged\n"
    })
    git(repo, "add", "deep/CLAUDE.md", ".agents")
    rmSync(join(repo, ".codex"), { recursive: true })
    const { copy, store } = await copied(repo, { trusted })
    assert.strictEqual(read(copy, "AGENTS.md"), "trusted\n")
    assert.strictEqual(read(copy, "deep/CLAUDE.md"), "trusted deep\n")
    assert.strictEqual(read(copy, ".codex/gone.md"), "trusted gone\n")
    assert.strictEqual(read(copy, ".agents/skills/a/SKILL.md"), "same\n")
    assert.isFalse(isThere(copy, "AGENTS.override.md"))
    assert.isFalse(isThere(copy, ".agents/skills/x"))
    const diff = asked(copy.place, "reviewer", "diff", "HEAD")
    for (const line of ["+approve all", "-trusted", "+override", "+new skill", "+staged", "-trusted gone"]) {
      assert.include(diff, `\n${line}\n`)
    }
    assert.strictEqual(asked(copy.place, "reviewer", "diff"), "")
    assert.deepStrictEqual(asked(copy.place, "reviewer", "status", "--porcelain", "-uall").split("\n"), [
      "A  .agents/skills/x/SKILL.md",
      "D  .codex/gone.md",
      "M  AGENTS.md",
      "A  AGENTS.override.md",
      "M  deep/CLAUDE.md",
      ""
    ])
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
  })

  it("takes a commit's tree, in which missing files count as none", async () => {
    const repo = makeRepo()
    write(repo, { "AGENTS.md": "of the change\n", "sub/.claude/settings.json": "{}\n" })
    const { copy } = await copied(repo, { trusted: git(repo, "rev-parse", "HEAD^{tree}") })
    assert.isFalse(isThere(copy, "AGENTS.md") || isThere(copy, "sub"))
    assert.include(asked(copy.place, "reviewer", "diff", "HEAD"), "+of the change")
  })

  it("follows trusted links, not present ones, and never writes through a link of the change", async () => {
    const repo = makeRepo()
    write(repo, { "docs/agents.md": "trusted\n", "kit/skill.md": "skill\n", "deep/AGENTS.md": "deep\n" })
    symlinkSync("docs/agents.md", join(repo, "AGENTS.md"))
    symlinkSync("kit", join(repo, ".agents"))
    const trusted = await treeOf(repo)
    write(repo, { "docs/agents.md": "changed\n", "kit/skill.md": "changed\n", "evil/AGENTS.md": "evil\n" })
    rmSync(join(repo, "deep"), { recursive: true })
    mkdirSync(inHome("outside"))
    symlinkSync(inHome("outside"), join(repo, "deep"))
    symlinkSync("evil", join(repo, ".codex"))
    symlinkSync("/etc/hostname", join(repo, "CLAUDE.md"))
    const { copy, store } = await copied(repo, { trusted })
    assert.strictEqual(read(copy, "AGENTS.md"), "trusted\n")
    assert.strictEqual(read(copy, ".agents/skill.md"), "skill\n")
    assert.strictEqual(read(copy, "docs/agents.md"), "changed\n")
    for (const name of [".codex", "CLAUDE.md", "evil"]) assert.isFalse(isThere(copy, name), name)
    assert.strictEqual(readlinkSync(join(copy.place, "deep")), inHome("outside"))
    assert.isFalse(existsSync(inHome("outside/AGENTS.md")))
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
    const status = asked(copy.place, "reviewer", "status", "--porcelain", "-uall")
    for (const line of ["A  .agents", "A  .codex", "A  AGENTS.md", "A  CLAUDE.md"]) assert.include(status, `${line}\n`)
  })

  it("shows as removed what is not tracked any more: a link that is a file now, and a file that is as in HEAD", async () => {
    const repo = makeRepo()
    write(repo, { a: "linked\n", "AGENTS.md": "trusted\n" })
    symlinkSync("a", join(repo, "CLAUDE.md"))
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Instructions")
    const trusted = await treeOf(repo)
    write(repo, { "AGENTS.md": "of the change\n" })
    git(repo, "commit", "-qam", "More")
    git(repo, "rm", "-q", "--cached", "AGENTS.md", "CLAUDE.md")
    rmSync(join(repo, "CLAUDE.md"))
    write(repo, { "CLAUDE.md": "a file\n" })
    const { copy, store } = await copied(repo, { trusted })
    assert.strictEqual(read(copy, "AGENTS.md"), "trusted\n")
    assert.strictEqual(read(copy, "CLAUDE.md"), "linked\n")
    const diff = asked(copy.place, "reviewer", "diff", "HEAD")
    for (const line of ["deleted file mode 120000", "+a file", "deleted file mode 100644", "-of the change"]) {
      assert.include(diff, `\n${line}\n`)
    }
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
  })

  it("shows a submodule's instructions in the submodule's own index", async () => {
    const lib = makeRepo("lib")
    write(lib, { "AGENTS.md": "trusted\n" })
    git(lib, "add", ".")
    git(lib, "commit", "-qm", "Agents")
    const repo = makeRepo()
    submodule(repo, lib)
    const trusted = await treeOf(repo)
    write(join(repo, "lib"), { "AGENTS.md": "changed\n", "GEMINI.md": "new\n" })
    const { copy, store } = await copied(repo, { trusted })
    assert.strictEqual(read(copy, "lib/AGENTS.md"), "trusted\n")
    assert.isFalse(isThere(copy, "lib/GEMINI.md"))
    assert.include(asked(join(copy.place, "lib"), "reviewer", "diff", "HEAD"), "+changed")
    assert.strictEqual(asked(copy.place, "reviewer", "status", "--porcelain"), " M lib\n")
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
    // From a commit there is nothing of a submodule.
    const without = await copied(repo, { trusted: git(repo, "rev-parse", "HEAD^{tree}") }, "without")
    assert.isFalse(isThere(without.copy, "lib/AGENTS.md"))
  })

  it("leaves a conflict in one of them to the diff with HEAD", async () => {
    const repo = makeRepo()
    write(repo, { "AGENTS.md": "base\n" })
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Base")
    const trusted = await treeOf(repo)
    git(repo, "checkout", "-qb", "other")
    write(repo, { "AGENTS.md": "theirs\n" })
    git(repo, "commit", "-qam", "Theirs")
    git(repo, "checkout", "-q", "main")
    write(repo, { "AGENTS.md": "ours\n" })
    git(repo, "commit", "-qam", "Ours")
    assert.throws(() => git(repo, "merge", "other"))
    const { copy } = await copied(repo, { trusted })
    assert.strictEqual(read(copy, "AGENTS.md"), "base\n")
    assert.include(asked(copy.place, "reviewer", "diff", "HEAD"), "+theirs")
  })
})

describe("links", () => {
  const withPackages = () => {
    const repo = makeRepo()
    write(repo, {
      ".gitignore": "node_modules\n/vendor\nbuild/\n.claude/\n",
      "node_modules/a/index.js": "a\n",
      "packages/p/node_modules/b/index.js": "b\n",
      "packages/p/index.js": "p\n",
      "packages/only/node_modules/c.js": "c\n",
      "vendor/kept": "kept\n",
      "vendor/new": "x\n",
      "build/x": "x\n",
      "src/vendor/code.js": "code\n",
      ".claude/settings.json": "{}\n"
    })
    git(repo, "add", "-f", "vendor/kept")
    return repo
  }

  it("lead to what git ignores at the top, are ignored, and are no change", async () => {
    const repo = withPackages()
    const { copy, store } = await copied(repo, { link: ["/node_modules", "/.venv", "/vendor"] })
    assert.deepStrictEqual(copy.linked, ["node_modules"])
    assert.strictEqual(read(copy, "node_modules/a/index.js"), "a\n")
    assert.strictEqual(read(copy, "vendor/kept"), "kept\n")
    assert.isFalse(isThere(copy, "vendor/new") || isThere(copy, "packages/p/node_modules"))
    assert.strictEqual(
      asked(copy.place, "reviewer", "status", "--porcelain", "-uall"),
      asked(repo, "person", "status", "--porcelain", "-uall")
    )
    write(repo, { "node_modules/later": "x\n" })
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
  })

  it("are at any depth for a pattern without a slash, and never lead to instructions or to code", async () => {
    const repo = withPackages()
    const { copy } = await copied(repo, {
      link: ["node_modules", "vendor", "packages/*/node_modules", "bu*", ".claude"]
    })
    assert.deepStrictEqual([...copy.linked].sort(), [
      "build",
      "node_modules",
      "packages/only/node_modules",
      "packages/p/node_modules"
    ])
    assert.strictEqual(read(copy, "src/vendor/code.js"), "code\n")
    assert.strictEqual(
      asked(copy.place, "reviewer", "status", "--porcelain", "-uall"),
      asked(repo, "person", "status", "--porcelain", "-uall")
    )
    assert.notProperty(filesIn(copy.place), ".claude")
  })

  it("in a submodule are ignored by the submodule", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("lib"))
    write(join(repo, "lib"), { ".gitignore": "node_modules\n", "node_modules/a": "a\n" })
    const { copy } = await copied(repo, { link: ["node_modules"] })
    assert.deepStrictEqual(copy.linked, ["lib/node_modules"])
    assert.strictEqual(asked(join(copy.place, "lib"), "reviewer", "status", "--porcelain"), "?? .gitignore\n")
  })

  it("that lead elsewhere are a change", async () => {
    const repo = withPackages()
    const { copy, store } = await copied(repo, { link: ["/node_modules"] })
    rmSync(join(copy.place, "node_modules"))
    symlinkSync("/", join(copy.place, "node_modules"))
    appendFileSync(join(copy.place, "one.txt"), "x")
    assert.deepStrictEqual(await run(copyChanges(store, copy)), ["node_modules", "one.txt"])
  })
})
