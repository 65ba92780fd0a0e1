// Copy.live: git in a copy shows what it shows in the worktree, or more.
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { contentsById } from "../../../src/code/Store.live.ts"
import { copied, filesIn, frozenNow, showsTheSame } from "./copies.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const commitAll = (repo: string, message = "More") => {
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", message)
}

describe("git in a copy shows the same for", () => {
  it("a worktree without changes", () => showsTheSame(makeRepo()))

  it("every kind of change at once", async () => {
    const repo = makeRepo()
    const write = (name: string, text = `${name} ${"x".repeat(99)}\n`) =>
      writeFileSync(join(repo, name), text, "latin1")
    const old = ["gone", "moved", "unstaged-gone", "both", "staged", "unstaged", "mode", "to-link", "to-directory"]
    for (const name of old) write(name)
    mkdirSync(join(repo, "to-file"))
    write("to-file/inner")
    symlinkSync("both", join(repo, "link"))
    write(".gitignore", "ignored*\n")
    commitAll(repo)
    const base = git(repo, "rev-parse", "HEAD")
    write("later")
    commitAll(repo)
    git(repo, "rm", "-q", "gone")
    git(repo, "mv", "moved", "moved-to")
    write("staged", "new\n")
    write("both", "one\n")
    git(repo, "add", "staged", "both")
    write("both", "two\n")
    write("unstaged", "new\n")
    for (const name of ["unstaged-gone", "to-link", "to-directory", "link"]) rmSync(join(repo, name))
    rmSync(join(repo, "to-file"), { recursive: true })
    symlinkSync("both", join(repo, "to-link"))
    symlinkSync("nowhere/\xe9", join(repo, "link"))
    mkdirSync(join(repo, "to-directory"))
    write("to-directory/new")
    write("to-file", "now a file\n")
    chmodSync(join(repo, "mode"), 0o755)
    write("binary", "\0\x01\xff")
    write("ignored")
    write("ignored-forced")
    write("intent")
    write("empty", "")
    write('odd " name\n\t', "x\n")
    git(repo, "add", "-f", "ignored-forced")
    git(repo, "add", "empty")
    git(repo, "add", "-N", "intent", "binary")
    const { copy } = await showsTheSame(repo, base)
    const files: Record<string, string> = { ...filesIn(repo) }
    delete files["ignored"]
    assert.deepStrictEqual(filesIn(copy.place), files)
  })

  it("files to be added that are gone by now, one behind a file", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "d"))
    for (const name of ["gone", "d/inner"]) writeFileSync(join(repo, name), "x\n")
    chmodSync(join(repo, "gone"), 0o755)
    symlinkSync("gone", join(repo, "link"))
    git(repo, "add", "-N", "gone", "d/inner", "link")
    for (const name of ["gone", "d", "link"]) rmSync(join(repo, name), { recursive: true })
    writeFileSync(join(repo, "d"), "a file\n")
    await showsTheSame(repo)
  })

  it("a conflict", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "other")
    writeFileSync(join(repo, "one.txt"), "theirs\n")
    git(repo, "rm", "-q", "deep/two.txt")
    commitAll(repo)
    git(repo, "checkout", "-q", "main")
    writeFileSync(join(repo, "one.txt"), "ours\n")
    writeFileSync(join(repo, "deep/two.txt"), "ours\n")
    commitAll(repo)
    assert.throws(() => git(repo, "merge", "other"))
    const { copy } = await showsTheSame(repo)
    assert.strictEqual(git(copy.place, "rev-parse", "MERGE_HEAD"), git(repo, "rev-parse", "other"))
  })

  for (const setting of ["true", "input"]) {
    it(`core.autocrlf=${setting} and one line changed`, async () => {
      const repo = makeRepo()
      git(repo, "config", "core.autocrlf", setting)
      writeFileSync(join(repo, "crlf.txt"), "a\r\nb\r\nc\r\n")
      writeFileSync(join(repo, "same.txt"), "a\r\nb\r\nc\r\n")
      commitAll(repo)
      writeFileSync(join(repo, "crlf.txt"), "a\r\nB\r\nc\r\n")
      await showsTheSame(repo)
    })
  }

  it("`* text=auto eol=crlf`", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitattributes"), "* text=auto eol=crlf\n")
    writeFileSync(join(repo, "crlf.txt"), "a\r\nb\r\nc\r\n")
    commitAll(repo)
    rmSync(join(repo, "one.txt"))
    git(repo, "checkout", "-q", "one.txt")
    writeFileSync(join(repo, "crlf.txt"), "a\r\nb\r\nc\r\nd\r\n")
    await showsTheSame(repo)
  })

  it("attributes and ignore rules of the person's own", async () => {
    const repo = makeRepo()
    writeFileSync(inHome("attributes"), "*.txt text\n*.eol text\n")
    writeFileSync(inHome("ignore"), "personal\n")
    git(repo, "config", "core.attributesFile", inHome("attributes"))
    git(repo, "config", "core.excludesFile", inHome("ignore"))
    writeFileSync(join(repo, ".git/info/attributes"), "info.eol -text\n")
    writeFileSync(join(repo, ".git/info/exclude"), "excluded\n")
    writeFileSync(join(repo, ".gitattributes"), "two.txt -text\n")
    commitAll(repo)
    for (const name of ["info.eol", "one.txt", "deep/two.txt"]) writeFileSync(join(repo, name), `${name}\r\n`)
    // By its line ends alone git takes it for changed until it is added once more.
    git(repo, "add", "one.txt")
    for (const name of ["personal", "excluded", "untracked"]) writeFileSync(join(repo, name), "x\n")
    await showsTheSame(repo)
  })

  it("a repository before its first commit", async () => {
    const repo = inHome("repo")
    mkdirSync(repo)
    git(repo, "init", "-q", "-b", "trunk")
    writeFileSync(join(repo, "staged"), "x\n")
    git(repo, "add", ".")
    writeFileSync(join(repo, "untracked"), "x\n")
    await showsTheSame(repo, null)
  })

  it("a detached HEAD", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-q", "--detach")
    appendFileSync(join(repo, "one.txt"), "more\n")
    await showsTheSame(repo)
  })

  it("a repository with SHA-256", async () => {
    const repo = inHome("repo")
    mkdirSync(repo)
    git(repo, "init", "-q", "-b", "main", "--object-format=sha256")
    for (const name of ["a", "b", "c"]) writeFileSync(join(repo, name), "x\n")
    commitAll(repo)
    writeFileSync(join(repo, "a"), "y\n")
    writeFileSync(join(repo, "new"), "x\n")
    writeFileSync(join(repo, "intent"), "x\n")
    git(repo, "add", "-N", "intent")
    git(repo, "rm", "-q", "--cached", "b")
    await showsTheSame(repo)
  })

  it("a shallow clone", async () => {
    const from = makeRepo("from")
    writeFileSync(join(from, "new"), "x\n")
    commitAll(from)
    git(inHome(), "clone", "-q", "--depth=1", `file://${from}`, inHome("clone"))
    git(inHome("clone"), "branch", "--unset-upstream")
    appendFileSync(inHome("clone/new"), "y\n")
    await showsTheSame(inHome("clone"))
  })

  for (const kind of ["--no-sparse-index", "--sparse-index"]) {
    it(`a sparse checkout with ${kind}`, async () => {
      const repo = makeRepo()
      mkdirSync(join(repo, "kept"))
      writeFileSync(join(repo, "kept/file"), "x\n")
      commitAll(repo)
      git(repo, "sparse-checkout", "set", "--cone", kind, "kept")
      appendFileSync(join(repo, "kept/file"), "y\n")
      await showsTheSame(repo)
    })
  }

  it("core.fileMode=false, whose executable files are not executable in git", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.fileMode", "no")
    chmodSync(join(repo, "one.txt"), 0o755)
    appendFileSync(join(repo, "deep/two.txt"), "more\n")
    await showsTheSame(repo)
  })

  it("files that a flag hides: they are shown", async () => {
    const repo = makeRepo()
    git(repo, "update-index", "--assume-unchanged", "one.txt")
    appendFileSync(join(repo, "one.txt"), "hidden\n")
    git(repo, "update-index", "--skip-worktree", "deep/two.txt")
    appendFileSync(join(repo, "deep/two.txt"), "hidden\n")
    const { copy } = await copied(repo)
    assert.strictEqual(git(copy.place, "diff", "--name-only"), "deep/two.txt\none.txt")
  })

  it("the base branch, HEAD on its branch, and names that git's index refuses", async () => {
    const repo = makeRepo()
    const main = git(repo, "rev-parse", "main")
    git(repo, "checkout", "-qb", "feature/x")
    appendFileSync(join(repo, "one.txt"), "more\n")
    commitAll(repo)
    mkdirSync(join(repo, ".GIT"))
    writeFileSync(join(repo, ".GIT/config"), "x\n")
    writeFileSync(join(repo, "git~1"), "x\n")
    const { copy } = await copied(repo, { base: { name: "main", commit: main } })
    assert.strictEqual(git(copy.place, "rev-parse", "main"), main)
    assert.strictEqual(git(copy.place, "symbolic-ref", "HEAD"), "refs/heads/feature/x")
    assert.deepStrictEqual(filesIn(copy.place), filesIn(repo))
    // A branch that is its own base elsewhere, and one whose name leaves no room for it.
    for (const name of ["feature/x", "feature"]) {
      const other = await copied(repo, { base: { name, commit: main } }, "other")
      assert.strictEqual(git(other.copy.place, "rev-parse", `refs/heads/${name}`), main)
      assert.strictEqual(git(other.copy.place, "rev-parse", "HEAD"), git(repo, "rev-parse", "HEAD"))
    }
  })
})

it("an object that the repository lacks is named, with what to do", async () => {
  const { store } = await frozenNow(makeRepo())
  const id = "0123456789".repeat(4)
  const failed = await run(Effect.flip(contentsById(store, [{ mode: "100644", id }])))
  assert.strictEqual(
    failed.message,
    "this repository lacks object 012345678901 " +
      "[in a partial clone, git fetch --refetch gets it; else git fsck says what is damaged]"
  )
})
