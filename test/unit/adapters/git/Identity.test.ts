// The identity of what is reviewed, in repositories of every odd kind: it sees each change and writes nothing.
// The one rule: where it cannot be computed nothing guards a clean verdict, so an odd repository is no excuse.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync, chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { identityOf } from "../../../../src/adapters/git/Identity.ts"
import { BranchName, CommitSha, Target } from "../../../../src/core/run/Target.ts"

const uncommitted = Target.make({ _tag: "Uncommitted" })
const against = (branch: string) => Target.make({ _tag: "Base", branch: BranchName.make(branch) })

let home = ""
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "ooda-test-identity-")))
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null")
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1")
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

const author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...author, ...args], { cwd, encoding: "utf8" }).trim()

/** A repository with one commit, whose files are old enough for git to trust the times in its index. */
const makeRepo = (name = "repo"): string => {
  const repo = join(home, name)
  mkdirSync(join(repo, "deep"), { recursive: true })
  git(repo, "init", "-q", "-b", "main")
  for (const file of ["one.txt", "deep/two.txt"]) writeFileSync(join(repo, file), `${file}\n`)
  git(repo, "add", ".")
  git(repo, "commit", "-qm", "One")
  const hoursAgo = (hours: number, file: string) =>
    utimesSync(join(repo, file), Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600)
  for (const file of ["one.txt", "deep/two.txt"]) hoursAgo(2, file)
  git(repo, "update-index", "--refresh")
  hoursAgo(1, ".git/index")
  return repo
}

const identity = (repo: string, target: Target = uncommitted) => Effect.runPromise(identityOf(repo, target, null))

const known = async (repo: string, target: Target = uncommitted) => {
  const now = await identity(repo, target)
  if (now._tag !== "Known") return assert.fail(now.why)
  return now
}

/** The identity stays while nothing changes, and another file or another text makes it another one. */
const guards = async (repo: string, target: Target = uncommitted, edited = "one.txt") => {
  const before = await known(repo, target)
  assert.deepStrictEqual(await known(repo, target), before)
  appendFileSync(join(repo, edited), "edited\n")
  const after = await known(repo, target)
  assert.notStrictEqual(after.tree, before.tree)
  writeFileSync(join(repo, "untracked.txt"), "new\n")
  assert.notStrictEqual((await known(repo, target)).tree, after.tree)
}

/** The digest of every file below a directory. */
const contents = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const path = join(directory, name)
    const digest = lstatSync(path).isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "-"
    return `${name} ${digest}`
  })

describe("identityOf", () => {
  it("is HEAD and the tree of the working copy, which git itself would write", async () => {
    const repo = makeRepo()
    const head = git(repo, "rev-parse", "HEAD")
    assert.deepStrictEqual(await identity(repo), {
      _tag: "Known", head, tree: git(repo, "rev-parse", "HEAD^{tree}"), base: null
    })
    appendFileSync(join(repo, "deep/two.txt"), "more\n")
    const { tree } = await known(repo)
    git(repo, "commit", "-qam", "Two")
    assert.strictEqual(git(repo, "rev-parse", "HEAD^{tree}"), tree)
    assert.notStrictEqual((await known(repo)).head, head)
  })

  it("does not see ignored files", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "*.log\n")
    const before = await known(repo)
    writeFileSync(join(repo, "a.log"), "x")
    assert.deepStrictEqual(await known(repo), before)
  })

  it("of a commit is the commit, and unknown where it is not there", async () => {
    const repo = makeRepo()
    const head = git(repo, "rev-parse", "HEAD")
    const commit = (sha: string) => Target.make({ _tag: "Commit", sha: CommitSha.make(sha) })
    assert.deepStrictEqual(await identity(repo, commit(head)), { _tag: "Known", head, tree: null, base: null })
    assert.strictEqual((await identity(repo, commit("0".repeat(40))))._tag, "Unknown")
  })

  it("names the base's commit", async () => {
    const repo = makeRepo()
    const base = git(repo, "rev-parse", "main")
    git(repo, "checkout", "-qb", "topic")
    git(repo, "commit", "-q", "--allow-empty", "-m", "Two")
    assert.strictEqual((await known(repo, against("main"))).base, base)
    git(repo, "branch", "-f", "main", "topic")
    assert.notStrictEqual((await known(repo, against("main"))).base, base)
  })

  it("guards the tree where the base is not in this clone", async () => {
    await guards(makeRepo(), against("not-fetched"))
  })

  it("in a repository without a commit", async () => {
    const repo = join(home, "new")
    mkdirSync(repo)
    git(repo, "init", "-q")
    await guards(repo)
    assert.isNull((await known(repo)).head)
  })

  it.each(["co:lon", "co:lon \"quoted\" \\n", "li\nne", "$HOME 'ünï'"])("in a directory called %j", async (name) => {
    await guards(makeRepo(name))
  })

  it("in a linked worktree of such a directory", async () => {
    const repo = makeRepo("a:b\nc")
    const linked = join(home, "linked")
    git(repo, "worktree", "add", "-q", linked)
    await guards(linked)
  })

  it("beside a repository in it that has no commit", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "nested"))
    git(join(repo, "nested"), "init", "-q")
    writeFileSync(join(repo, "nested", "file"), "x")
    await guards(repo)
  })

  it("in a sparse checkout, also of files outside of it", async () => {
    const repo = makeRepo()
    git(repo, "sparse-checkout", "set", "--cone", "elsewhere")
    const before = await known(repo)
    assert.strictEqual(before.tree, git(repo, "rev-parse", "HEAD^{tree}"), "what is not checked out is not deleted")
    mkdirSync(join(repo, "deep"), { recursive: true })
    writeFileSync(join(repo, "deep", "three.txt"), "x")
    assert.notStrictEqual((await known(repo)).tree, before.tree)
    await guards(repo, uncommitted, "deep/three.txt")
  })

  it("where git refuses line endings that do not survive", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.autocrlf", "input")
    git(repo, "config", "core.safecrlf", "true")
    writeFileSync(join(repo, "dos.txt"), "a\r\n")
    await guards(repo)
  })

  it.each(["LITERAL", "NOGLOB", "ICASE"])("where the environment asks for pathspecs that are %s", async (kind) => {
    const repo = makeRepo()
    vi.stubEnv(`GIT_${kind}_PATHSPECS`, "1")
    await guards(repo)
  })

  it("where a filter that git must use is not installed", async () => {
    const repo = makeRepo()
    git(repo, "config", "filter.big.clean", "no-such-program")
    git(repo, "config", "filter.big.required", "true")
    writeFileSync(join(repo, ".gitattributes"), "*.bin filter=big\n")
    writeFileSync(join(repo, "a\nb.bin"), "x")
    await guards(repo, uncommitted, "a\nb.bin")
    const before = await known(repo)
    writeFileSync(join(repo, ".gitignore"), "*.log\n.gitignore\n")
    writeFileSync(join(repo, "a.log"), "x")
    assert.deepStrictEqual(await known(repo), before, "ignored files stay out")
    chmodSync(join(repo, "one.txt"), 0o755)
    assert.notStrictEqual((await known(repo)).tree, before.tree)
    rmSync(join(repo, "one.txt"))
    assert.notStrictEqual((await known(repo)).tree, before.tree)
  })

  it("beside a submodule whose repository is gone", async () => {
    const repo = makeRepo()
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", makeRepo("other"), "sub")
    git(repo, "commit", "-qm", "Sub")
    rmSync(join(repo, ".git", "modules"), { recursive: true })
    await guards(repo)
  })

  it.each(["missing", "inside"])("with a temporary directory that is %s", async (kind) => {
    const repo = makeRepo()
    const temporary = join(kind === "inside" ? repo : home, "tmp")
    if (kind === "inside") mkdirSync(temporary)
    vi.stubEnv("TMPDIR", temporary)
    await guards(repo)
  })

  it.each([false, true])("writes nothing into .git and leaves nothing behind (a split index: %s)", async (split) => {
    const repo = makeRepo()
    if (split) git(repo, "config", "core.splitIndex", "true")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    vi.stubEnv("TMPDIR", join(home, "tmp"))
    mkdirSync(join(home, "tmp"))
    const before = contents(join(repo, ".git"))
    await known(repo)
    assert.deepStrictEqual(contents(join(repo, ".git")), before)
    assert.isEmpty(readdirSync(join(home, "tmp")))
  })
})
