// CopyInstructions: on disk are the trusted instructions, and git shows the present ones. Links lead to ignored paths.
import { appendFileSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { type Copy, copyChanges } from "../../../src/code/Copy.live.ts"
import { asked, copied, filesIn, frozenNow } from "./copies.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

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

  it("turns a present file into a trusted directory and the other way round", async () => {
    const repo = makeRepo()
    write(repo, { ".codex/a/b": "trusted\n", ".claude": "a file\n", ".ignore": "x\n" })
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Instructions")
    const trusted = await treeOf(repo)
    for (const name of [".codex", ".claude", ".ignore"]) rmSync(join(repo, name), { recursive: true })
    write(repo, { ".codex": "a file\n", ".claude/settings.json": "{}\n", ".ignore/x": "in the way\n" })
    git(repo, "add", "-N", ".claude/settings.json")
    const { copy, store } = await copied(repo, { trusted })
    assert.strictEqual(read(copy, ".codex/a/b"), "trusted\n")
    assert.strictEqual(read(copy, ".claude"), "a file\n")
    // What is no instruction stays, so no file has room there.
    assert.strictEqual(read(copy, ".ignore/x"), "in the way\n")
    assert.deepStrictEqual(await run(copyChanges(store, copy)), [])
    const diff = asked(copy.place, "reviewer", "diff", "--no-renames", "HEAD")
    for (const line of ["+a file", "-trusted", "+{}"]) assert.include(diff, `\n${line}\n`)
  })

  it("shows those of a submodule in its own index", async () => {
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
