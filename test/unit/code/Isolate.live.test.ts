// Isolate: a private repository shows what the worktree shows, of every odd kind, and stays as it is.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { baseOf, identityOf } from "../../../src/code/Identity.live.ts"
import { isolate, type Isolation } from "../../../src/code/FrozenCopy.live.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import { BranchName, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const whole: Isolation = { branch: null, link: [] }
const uncommitted = Target.make({ _tag: "Uncommitted" })

const isolated = async (repo: string, isolation = whole, name = "private"): Promise<string> => {
  await run(Effect.scoped(isolate(repo, inHome(name), isolation)))
  return inHome(name)
}

/** What is seen, without the marks of the files that show it, and without settings, which a copy has of its own. */
const identity = async (repo: string) => {
  const { head, headTree, index, indexTree, nested, tree, untracked }: Identity = await run(
    identityOf(repo, uncommitted, null)
  )
  return { head, headTree, index, indexTree, nested, tree, untracked }
}

/** What a reviewer asks git. */
const seen = (repo: string) => ({
  status: git(repo, "status", "--porcelain", "--untracked-files=all"),
  unstaged: git(repo, "diff", "--binary", "--submodule=short"),
  staged: git(repo, "diff", "--binary", "--cached"),
  head: git(repo, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"),
  branch: git(repo, "branch", "--show-current")
})

/** Isolates a worktree and compares every view of it. */
const shows = async (repo: string): Promise<string> => {
  const copy = await isolated(repo)
  assert.deepStrictEqual(await identity(copy), await identity(repo))
  assert.deepStrictEqual(seen(copy), seen(repo))
  return copy
}

describe("a private repository shows", () => {
  it("a worktree without changes", async () => {
    await shows(makeRepo())
  })

  it("staged, unstaged, untracked, deleted, renamed, binary, executable files and links; ignored ones not", async () => {
    const repo = makeRepo()
    for (const name of ["gone", "moved", "unlinked", "both"]) {
      writeFileSync(join(repo, name), `${name} ${"x".repeat(99)}\n`)
    }
    writeFileSync(join(repo, ".gitignore"), "ignored\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "More")
    rmSync(join(repo, "gone"))
    git(repo, "mv", "moved", "renamed")
    git(repo, "rm", "-q", "--cached", "unlinked")
    writeFileSync(join(repo, "both"), "staged\n")
    git(repo, "add", "both")
    writeFileSync(join(repo, "both"), "both ".padEnd(9, "y"))
    writeFileSync(join(repo, "binary"), Buffer.from([0, 255, 13, 10, 0]))
    chmodSync(join(repo, "one.txt"), 0o755)
    symlinkSync("nowhere", join(repo, "link"))
    writeFileSync(join(repo, "new\nline"), "untracked\n")
    writeFileSync(join(repo, "ignored"), "x")
    git(repo, "add", "link")
    const copy = await shows(repo)
    assert.isFalse(existsSync(join(copy, "ignored")))
    assert.deepStrictEqual([...readFileSync(join(copy, "binary"))], [0, 255, 13, 10, 0])
  })

  it("files that are meant to be added", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "meant"), "x\n")
    git(repo, "add", "--intent-to-add", "meant")
    assert.include(seen(await isolated(repo)).unstaged, "+x")
  })

  it("files that the index hides", async () => {
    const repo = makeRepo()
    git(repo, "update-index", "--assume-unchanged", "one.txt")
    appendFileSync(join(repo, "one.txt"), "hidden\n")
    assert.include(seen(await isolated(repo)).unstaged, "+hidden")
  })

  it("submodules and repositories without a commit, with their own changes", async () => {
    const repo = makeRepo()
    const inner = makeRepo("inner")
    submodule(inner, makeRepo("innermost"))
    submodule(repo, inner)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    appendFileSync(join(repo, "lib/lib/one.txt"), "edited\n")
    mkdirSync(join(repo, "fresh"))
    git(join(repo, "fresh"), "init", "-q")
    writeFileSync(join(repo, "fresh/file"), "x\n")
    const copy = await shows(repo)
    assert.include(git(join(copy, "lib/lib"), "diff"), "+edited")
  })

  it("a repository in it that git cannot make a tree of, by its files", async () => {
    const repo = makeRepo()
    const nested = join(repo, "nested")
    mkdirSync(nested)
    git(nested, "init", "-q")
    git(nested, "config", "filter.big.clean", "no-such-program")
    git(nested, "config", "filter.big.required", "true")
    writeFileSync(join(nested, ".gitattributes"), "*.bin filter=big\n")
    writeFileSync(join(nested, "a.bin"), "x")
    const copy = await isolated(repo)
    assert.strictEqual(readFileSync(join(copy, "nested/a.bin"), "utf8"), "x")
  })

  it("a linked worktree, also of a repository with an odd name", async () => {
    const repo = makeRepo('a:b "c"')
    git(repo, "worktree", "add", "-q", "-b", "topic", inHome("linked"))
    appendFileSync(inHome("linked", "one.txt"), "edited\n")
    await shows(inHome("linked"))
  })

  it("a merge in progress, with its conflict", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    writeFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    git(repo, "checkout", "-q", "main")
    writeFileSync(join(repo, "one.txt"), "main\n")
    git(repo, "commit", "-qam", "Main")
    assert.throws(() => git(repo, "merge", "topic"))
    const copy = await shows(repo)
    assert.include(seen(copy).status, "UU one.txt")
    assert.strictEqual(git(copy, "rev-parse", "MERGE_HEAD"), git(repo, "rev-parse", "topic"))
  })

  it("a rebase in progress", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    writeFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    git(repo, "checkout", "-q", "main")
    writeFileSync(join(repo, "one.txt"), "main\n")
    git(repo, "commit", "-qam", "Main")
    git(repo, "checkout", "-q", "topic")
    assert.throws(() => git(repo, "rebase", "main"))
    await shows(repo)
  })

  it("a shallow clone", async () => {
    const origin = makeRepo("origin")
    git(origin, "commit", "-q", "--allow-empty", "-m", "Two")
    git(inHome(), "clone", "-q", "--depth", "1", `file://${origin}`, "shallow")
    appendFileSync(inHome("shallow", "one.txt"), "edited\n")
    const copy = await shows(inHome("shallow"))
    assert.strictEqual(git(copy, "rev-list", "--count", "HEAD"), "1")
  })

  it("a sparse checkout, without the files that it leaves out", async () => {
    const repo = makeRepo()
    git(repo, "sparse-checkout", "set", "--cone", "elsewhere")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    const copy = await shows(repo)
    assert.isFalse(existsSync(join(copy, "deep")))
  })

  it("a repository without a commit, and one without a file", async () => {
    for (const name of ["empty", "fresh"]) {
      mkdirSync(inHome(name))
      git(inHome(name), "init", "-q", "-b", "trunk")
      if (name === "fresh") writeFileSync(inHome(name, "file"), "x\n")
      const copy = await isolated(inHome(name), whole, `${name}-private`)
      assert.deepStrictEqual(await identity(copy), await identity(inHome(name)))
      assert.strictEqual(git(copy, "symbolic-ref", "HEAD"), "refs/heads/trunk")
    }
  })

  it("a repository of sha256, where git has it", async () => {
    const repo = inHome("sha256")
    git(inHome(), "init", "-q", "--object-format=sha256", repo)
    writeFileSync(join(repo, "file"), "x\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "One")
    writeFileSync(join(repo, "file"), "y\n")
    git(repo, "rm", "-q", "--cached", "file")
    await shows(repo)
  })

  it("line endings and filters as the repository's own settings make them", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "config", 'filter.upper "quoted".clean', "tr a-z A-Z")
    git(repo, "config", 'filter.upper "quoted".smudge', "tr A-Z a-z")
    git(repo, "config", "core.hooksPath", inHome("hooks"))
    writeFileSync(join(repo, ".gitattributes"), "*.up filter=upper\n")
    writeFileSync(join(repo, "a.up"), "text\r\n")
    writeFileSync(join(repo, "dos.txt"), "a\r\nb\r\n")
    const copy = await shows(repo)
    assert.strictEqual(readFileSync(join(copy, "dos.txt"), "utf8"), "a\r\nb\r\n")
    assert.strictEqual(git(copy, "config", "core.hooksPath"), "/dev/null")
  })
})

describe("a private repository", () => {
  it("has no upstream and no remote branch, and its base is the commit that codex compares with", async () => {
    const origin = makeRepo("origin")
    git(origin, "config", "receive.denyCurrentBranch", "ignore")
    git(inHome(), "clone", "-q", origin, "clone")
    const repo = inHome("clone")
    git(repo, "checkout", "-qb", "topic")
    for (const text of ["first\n", "second\n"]) {
      appendFileSync(join(repo, "one.txt"), text)
      git(repo, "commit", "-qam", text.trim())
    }
    git(repo, "push", "-q", "origin", "topic~1:main")
    git(repo, "fetch", "-q")
    const before = await run(baseOf(repo, "main"))
    const copy = await isolated(repo, { branch: "main", link: [] })
    assert.strictEqual(before.mergeBase, git(repo, "rev-parse", "topic~1"))
    assert.strictEqual((await run(baseOf(copy, "main"))).mergeBase, before.mergeBase)
    assert.throws(() => git(copy, "rev-parse", "--verify", "main@{upstream}"))
    assert.strictEqual(git(copy, "for-each-ref", "refs/remotes"), "")
    const target = Target.make({ _tag: "Base", branch: BranchName.make("main") })
    const now = await run(identityOf(copy, target, null))
    assert.deepInclude(now, { mergeBase: before.mergeBase })
  })

  it("compares a branch with its own upstream, where that is what is asked", async () => {
    const origin = makeRepo("origin")
    git(inHome(), "clone", "-q", origin, "clone")
    git(origin, "commit", "-q", "--allow-empty", "-m", "Ahead")
    git(inHome("clone"), "fetch", "-q")
    const copy = await isolated(inHome("clone"), { branch: "main", link: [] })
    const expected = await run(baseOf(inHome("clone"), "main"))
    assert.strictEqual((await run(baseOf(copy, "main"))).mergeBase, expected.mergeBase)
    assert.strictEqual(git(copy, "rev-parse", "HEAD"), git(inHome("clone"), "rev-parse", "HEAD"))
  })

  it("stays as it is while people edit, stash, commit, switch and collect garbage", async () => {
    const repo = makeRepo()
    appendFileSync(join(repo, "one.txt"), "edited\n")
    writeFileSync(join(repo, "new.txt"), "new\n")
    const copy = await isolated(repo)
    const before = [await identity(copy), seen(copy)]
    git(repo, "stash", "--include-untracked", "-q")
    git(repo, "checkout", "-qb", "elsewhere")
    writeFileSync(join(repo, "one.txt"), "other\n")
    git(repo, "commit", "-qam", "Other")
    assert.deepStrictEqual([await identity(copy), seen(copy)], before)
  })

  it("links ignored files that are asked for, and shows them in no difference", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "node_modules/\n*.env\n")
    mkdirSync(join(repo, "deep/node_modules/pkg"), { recursive: true })
    mkdirSync(join(repo, "node_modules/pkg"), { recursive: true })
    for (const file of ["node_modules/pkg/a", "deep/node_modules/pkg/b", "secret.env"]) {
      writeFileSync(join(repo, file), "x")
    }
    const copy = await isolated(repo, { branch: null, link: ["**/node_modules"] })
    assert.strictEqual(readFileSync(join(copy, "node_modules/pkg/a"), "utf8"), "x")
    assert.strictEqual(readFileSync(join(copy, "deep/node_modules/pkg/b"), "utf8"), "x")
    assert.isFalse(existsSync(join(copy, "secret.env")))
    assert.deepStrictEqual(seen(copy), seen(repo))
  })

  it("leaves nothing in the repository that it shows, and nothing in temporary directories", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "new.txt"), "new\n")
    mkdirSync(inHome("tmp"))
    vi.stubEnv("TMPDIR", inHome("tmp"))
    const before = readdirSync(join(repo, ".git"), { recursive: true }).sort()
    await isolated(repo)
    assert.deepStrictEqual(readdirSync(join(repo, ".git"), { recursive: true }).sort(), before)
    assert.isEmpty(readdirSync(inHome("tmp")))
  })

  it.each(["filter", "submodule"])("is not made where git cannot make a tree, and says so (%s)", async (broken) => {
    const repo = makeRepo()
    if (broken === "submodule") {
      submodule(repo, makeRepo("other"))
      rmSync(join(repo, ".git", "modules"), { recursive: true })
    }
    git(repo, "config", "filter.big.clean", "no-such-program")
    git(repo, "config", "filter.big.required", "true")
    writeFileSync(join(repo, ".gitattributes"), broken === "filter" ? "*.bin filter=big\n" : "")
    writeFileSync(join(repo, "a.bin"), "x")
    const made = Effect.scoped(Effect.flip(isolate(repo, inHome("private"), whole)))
    assert.match(await run(made), /cannot make a tree/)
  })
})
