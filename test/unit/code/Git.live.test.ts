// Git.live: the repository under review: where it is, what it is called, and what is wrong with a target.
import { createHash } from "node:crypto"
import { appendFileSync, chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/code/Git.live.ts"
import { Git } from "../../../src/code/Git.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { BranchName, CommitSha, PrNumber, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, objectPath, run, submodule } from "../../support/repositories.ts"

eachInHome()

const ask = <A, E>(use: (git: typeof Git.Service) => Effect.Effect<A, E>): Promise<A> =>
  run(Git.use(use).pipe(Effect.provide(layer)))
const branch = (name: string) => BranchName.make(name)
const uncommitted = Target.make({ _tag: "Uncommitted" })

describe("what changed after a moment", () => {
  const after = (repo: string, moment: number) => ask((git) => git.changedAfter(repo, moment))
  /** A moment before which the last change of a file was, by the clock of its file system. */
  const momentOf = (path: string): number => {
    const { ctimeMs } = lstatSync(path)
    // The clock of a file system moves in steps: wait for the next one.
    const probe = inHome("probe")
    for (;;) {
      writeFileSync(probe, "")
      if (lstatSync(probe).ctimeMs > ctimeMs) return ctimeMs
    }
  }

  it("are the files that were written, changed back or not, and no ignored one", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "out\n")
    const moment = momentOf(join(repo, ".gitignore"))
    assert.deepStrictEqual(await after(repo, moment), [])
    mkdirSync(join(repo, "gen"))
    for (const name of ["tracked.txt", "gen/new.txt", "out"]) writeFileSync(join(repo, name), "x\n")
    assert.sameMembers([...await after(repo, moment)], ["tracked.txt", "gen/new.txt"])
  })

  it("is a directory where a file was there only for a time, and nothing where that is unknown", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "gen"))
    writeFileSync(join(repo, "gen/kept.txt"), "x\n")
    const moment = momentOf(join(repo, "gen/kept.txt"))
    writeFileSync(join(repo, "gen/brief.txt"), "x\n")
    rmSync(join(repo, "gen/brief.txt"))
    assert.deepStrictEqual(await after(repo, moment), ["gen/"])
    assert.deepStrictEqual(await after(inHome("nowhere"), 0), [])
  })
})

describe("what is staged apart", () => {
  const apart = (repo: string) => ask((git) => git.stagedApart(repo))
  const put = (repo: string, name: string, text: string | Buffer) => writeFileSync(join(repo, name), text)

  it("is nothing where each entry is HEAD's or the file's, staged in part, new, or gone", async () => {
    const repo = makeRepo()
    assert.deepStrictEqual(await apart(repo), [])
    put(repo, "one.txt", "two\n")
    put(repo, "new.txt", "x\n")
    assert.deepStrictEqual(await apart(repo), [])
    git(repo, "add", "new.txt")
    put(repo, "untracked.txt", "x\n")
    assert.deepStrictEqual(await apart(repo), [])
    git(repo, "add", "-A", "--intent-to-add", ".")
    git(repo, "rm", "-q", "--cached", "untracked.txt")
    rmSync(join(repo, "one.txt"))
    git(repo, "add", "one.txt")
    assert.deepStrictEqual(await apart(repo), [])
  })

  it("is what a commit would hold and no file does: changed, added, removed, another mode", async () => {
    const repo = makeRepo()
    for (const name of ["changed", "mode", "removed"]) put(repo, name, "one\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "More")
    put(repo, "changed", "evil\n")
    put(repo, "added", "evil\n")
    chmodSync(join(repo, "mode"), 0o755)
    git(repo, "add", "-A")
    git(repo, "rm", "-q", "--cached", "removed")
    put(repo, "changed", "two\n")
    rmSync(join(repo, "added"))
    chmodSync(join(repo, "mode"), 0o644)
    assert.sameMembers([...await apart(repo)], ["changed", "added", "mode", "removed"])
  })

  it("is no other form of a file, beside one that differs", async () => {
    const repo = makeRepo()
    put(repo, ".gitattributes", "*.txt text eol=crlf\n")
    put(repo, "lines.txt", "one\r\ntwo\r\n")
    put(repo, "evil.sh", "evil\n")
    git(repo, "add", "-A")
    assert.deepStrictEqual(await apart(repo), [])
    put(repo, "evil.sh", "good\n")
    assert.deepStrictEqual(await apart(repo), ["evil.sh"])
  })

  it("is known before the first commit, and not where paths are unmerged", async () => {
    const repo = inHome("unborn")
    mkdirSync(repo)
    git(repo, "init", "-q")
    put(repo, "a", "one\n")
    git(repo, "add", "a")
    assert.deepStrictEqual(await apart(repo), [])
    put(repo, "a", "two\n")
    assert.deepStrictEqual(await apart(repo), ["a"])
    const torn = makeRepo("torn")
    git(torn, "checkout", "-qb", "other")
    put(torn, "one.txt", "other\n")
    git(torn, "commit", "-qam", "Two")
    git(torn, "checkout", "-q", "-")
    put(torn, "one.txt", "mine\n")
    git(torn, "commit", "-qam", "Three")
    assert.throws(() => git(torn, "merge", "-q", "other"))
    await apart(torn).then(() => assert.fail("it is known"), (error) => assert.include(String(error), "GitFailed"))
  })
})

describe("the repository", () => {
  it("is the worktree around a directory, called by its name alone where it has no remote", async () => {
    const repo = makeRepo("some name")
    const expected = { root: repo, id: "some name-noremote" }
    assert.deepStrictEqual(await ask((git) => git.repository(join(repo, "deep"))), expected)
  })

  it("knows the branch that is checked out, and none where HEAD is detached", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-q", "-b", "a/b")
    assert.strictEqual(await ask((git) => git.branch(repo)), "a/b")
    git(repo, "checkout", "-q", "--detach")
    assert.isNull(await ask((git) => git.branch(repo)))
  })

  it("is called by its origin's URL, else by its first remote's", async () => {
    const repo = makeRepo()
    const id = (url: string) => `repo-${createHash("sha256").update(url).digest("hex").slice(0, 12)}`
    git(repo, "remote", "add", "first", "https://example.org/first.git")
    git(repo, "remote", "add", "second", "https://example.org/second.git")
    assert.strictEqual((await ask((git) => git.repository(repo))).id, id("https://example.org/first.git"))
    git(repo, "remote", "add", "origin", "https://example.org/origin.git\nwith a line")
    assert.strictEqual((await ask((git) => git.repository(repo))).id, id("https://example.org/origin.git\nwith a line"))
  })

  it("whose path is not UTF-8 is said in one line", async () => {
    const failed = await ask((git) => Effect.flip(git.repository(inHome("caf\ufffd"))))
    assert.strictEqual(
      failed.message,
      `git: finding the repository: the path of this directory is not valid UTF-8: ${inHome("caf\ufffd")} ` +
        "[work at a path that is]"
    )
  })

  it("is a typed error if it is missing, or git is", async () => {
    const failed = await ask((git) => Effect.flip(git.repository(inHome())))
    assert.match(
      failed.message,
      /^git: finding the repository: fatal: not a git repository.* \[call this program inside the repository to review\]$/
    )
    const missing = await Effect.runPromise(
      Git.use((git) => Effect.flip(git.repository(inHome()))).pipe(
        Effect.provide(layer),
        Effect.provideService(Environment, { PATH: "/nowhere" })
      )
    )
    assert.strictEqual(
      missing.message,
      "git: finding the repository: git is not installed or not on PATH [install git, or put it on PATH]"
    )
  })
})

describe("a repository that git cannot read", () => {
  const restore = " [git fsck names what is missing or damaged; fetch it again, or clone anew]"
  const lost = (revision: string) => (repo: string) => rmSync(objectPath(repo, revision))
  const damaged = (revision: string) => (repo: string) => {
    chmodSync(objectPath(repo, revision), 0o600)
    writeFileSync(objectPath(repo, revision), "damaged")
  }
  const written = (file: string, text: string) => (repo: string) => writeFileSync(join(repo, file), text)
  const setHead = (repo: string) => `if HEAD is damaged: echo "ref: refs/heads/BRANCH" >${repo}/.git/HEAD`
  const setBranch = "remove that branch's file from .git/refs/heads, then git update-ref HEAD COMMIT; " +
    "the last line of .git/logs/HEAD names COMMIT second"

  it.each<readonly [string, (repo: string) => void, (repo: string, head: string, tree: string) => string]>([
    [
      "HEAD's commit is missing",
      lost("HEAD"),
      (_, head) => `commit ${head} or its tree is missing or damaged${restore}`
    ],
    [
      "HEAD's tree is missing",
      lost("HEAD^{tree}"),
      (_, head) => `commit ${head} or its tree is missing or damaged${restore}`
    ],
    ["HEAD's commit is damaged", damaged("HEAD"), (_, head) => `object ${head} is missing or damaged${restore}`],
    [
      "HEAD's tree is damaged",
      damaged("HEAD^{tree}"),
      (_, __, tree) => `object ${tree} is missing or damaged${restore}`
    ],
    [
      "the index is too short",
      written(".git/index", "x"),
      (repo) =>
        `${repo}/.git/index is damaged: index file smaller than expected ` +
        `[rm ${repo}/.git/index && git -C ${repo} reset]`
    ],
    [
      "the index is no index",
      written(".git/index", "x".repeat(200)),
      (repo) =>
        `${repo}/.git/index is damaged: bad signature 0x78787878 [rm ${repo}/.git/index && git -C ${repo} reset]`
    ],
    [
      "a setting is broken",
      written(".git/config", "[core\nbroken"),
      () => "fatal: bad config line 1 in file .git/config [correct this setting in that file]"
    ],
    [
      "it has a newer format",
      (repo) => git(repo, "config", "core.repositoryFormatVersion", "99"),
      () => "fatal: Expected git repo version <= 1, found 99 [install a newer git]"
    ],
    [
      "it has no working tree",
      (repo) => git(repo, "config", "core.bare", "true"),
      () =>
        "this directory has no working tree: it is in a bare repository or in .git " +
        "[call this program in a working tree; git worktree add DIR makes one]"
    ],
    [
      "HEAD is damaged",
      written(".git/HEAD", "damaged\n"),
      (repo) =>
        `git cannot read the repository ${repo}/.git: its HEAD, objects or refs are missing or damaged ` +
        `[${setHead(repo)}, with your branch; else clone anew]`
    ],
    [
      "HEAD's branch is damaged",
      written(".git/refs/heads/main", "damaged\n"),
      () => `the branch that .git/HEAD names is damaged [${setBranch}]`
    ],
    [
      "it has moved away from its working tree",
      (repo) => {
        rmSync(join(repo, ".git"), { recursive: true })
        writeFileSync(join(repo, ".git"), "gitdir: /nowhere\n")
      },
      (repo) =>
        `${repo}/.git leads to /nowhere, which is not a git repository [git worktree repair in the main repository ` +
        "or, in a submodule's parent, git submodule update --init]"
    ]
  ])("is named with what to do: %s", async (_, damage, expected) => {
    const repo = makeRepo()
    const [head = "", tree = ""] = ["HEAD", "HEAD^{tree}"].map((name) => git(repo, "rev-parse", name).slice(0, 12))
    damage(repo)
    const problem = await ask((git) =>
      Effect.match(git.repository(repo), {
        onFailure: ({ message }) => Effect.succeed(message),
        onSuccess: () => Effect.map(git.overview(repo, uncommitted, null), ({ problem }) => problem ?? "")
      }).pipe(Effect.flatten)
    )
    assert.strictEqual(problem.replace(/^git: [^:]*: /, ""), expected(repo, head, tree))
  })

  it("says how to read the index of a linked worktree again", async () => {
    const repo = makeRepo()
    git(repo, "worktree", "add", "-q", inHome("linked"))
    writeFileSync(join(repo, ".git/worktrees/linked/index"), "x")
    const { problem } = await ask((git) => git.overview(inHome("linked"), uncommitted, null))
    const index = `${repo}/.git/worktrees/linked/index`
    assert.strictEqual(
      problem,
      `git: ls-files: ${index} is damaged: index file smaller than expected ` +
        `[rm ${index}, then git reset in its working tree]`
    )
  })

  it("is no problem while it can be read, before the first commit too", async () => {
    git(inHome(), "init", "-q", "empty")
    for (const repo of [makeRepo(), inHome("empty")]) {
      assert.isNull((await ask((git) => git.overview(repo, uncommitted, null))).problem)
    }
  })
})

describe("a target's problem", () => {
  const problem = (repo: string, target: Target, base: BranchName | null = null) =>
    ask((git) => git.targetProblem(repo, target, base))
  const commit = (sha: string) => Target.make({ _tag: "Commit", sha: CommitSha.make(sha) })
  const against = (name: string) => Target.make({ _tag: "Base", branch: branch(name) })

  it("of a target of uncommitted changes is a clean working tree", async () => {
    const repo = makeRepo()
    assert.deepStrictEqual(await problem(repo, uncommitted), { _tag: "NothingUncommitted" })
    writeFileSync(join(repo, "new.txt"), "")
    assert.isNull(await problem(repo, uncommitted))
  })

  it("is not reported if only files of a submodule are changed, or gone", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("lib-of"))
    for (const change of [appendFileSync, (path: string) => rmSync(path)]) {
      assert.deepStrictEqual(await problem(repo, uncommitted), { _tag: "NothingUncommitted" })
      assert.deepStrictEqual(await problem(repo, against("main")), { _tag: "SameAsBase", branch: branch("main") })
      change(join(repo, "lib/one.txt"), "edited\n")
      assert.isNull(await problem(repo, uncommitted))
      assert.isNull(await problem(repo, against("main")))
      git(join(repo, "lib"), "checkout", "-q", "one.txt")
    }
  })

  it("of a base is that it is not here, has no common ancestor, or is the same", async () => {
    const repo = makeRepo()
    assert.deepStrictEqual(await problem(repo, against("gone")), {
      _tag: "BaseUnresolved",
      branch: branch("gone"),
      remote: false
    })
    assert.deepStrictEqual(await problem(repo, against("main")), { _tag: "SameAsBase", branch: branch("main") })
    git(repo, "checkout", "-q", "--orphan", "other")
    git(repo, "commit", "-q", "-m", "another beginning")
    git(repo, "checkout", "-q", "main")
    assert.deepStrictEqual(await problem(repo, against("other")), { _tag: "NoCommonAncestor", branch: branch("other") })
    appendFileSync(join(repo, "one.txt"), "edited\n")
    assert.isNull(await problem(repo, against("main")))
  })

  it("of a pull request is its base's, once that is known", async () => {
    const repo = makeRepo()
    const pr = Target.make({ _tag: "PullRequest", number: PrNumber.make(7) })
    assert.deepStrictEqual(await problem(repo, pr), { _tag: "BaseUnknown" })
    assert.deepStrictEqual(await problem(repo, pr, branch("main")), { _tag: "SameAsBase", branch: branch("main") })
  })

  it("of a commit is a missing or an empty one; the first commit changes everything", async () => {
    const repo = makeRepo()
    const first = git(repo, "rev-parse", "HEAD")
    git(repo, "commit", "-q", "--allow-empty", "-m", "Nothing")
    const empty = CommitSha.make(git(repo, "rev-parse", "HEAD"))
    assert.isNull(await problem(repo, commit(first)))
    assert.deepStrictEqual(await problem(repo, commit(empty)), { _tag: "CommitEmpty", sha: empty })
    const absent = CommitSha.make("0".repeat(40))
    assert.deepStrictEqual(await problem(repo, commit(absent)), { _tag: "CommitUnresolved", sha: absent })
  })

  it("is a typed error where git cannot answer", async () => {
    mkdirSync(inHome("none"))
    const failed = await ask((git) => Effect.flip(git.targetProblem(inHome("none"), uncommitted, null)))
    assert.match(failed.message, /^git: looking at the target: fatal: /)
  })
})

describe("a private repository", () => {
  it("is where it was made until it is gone, or no repository any more", async () => {
    const there = () => ask((git) => git.isIsolated(inHome("repo")))
    assert.isFalse(await there())
    const repo = makeRepo()
    assert.isTrue(await there())
    rmSync(join(repo, ".git"), { recursive: true })
    assert.isFalse(await there())
  })
})

describe("the identity", () => {
  it("is of the worktree as it is now", async () => {
    const repo = makeRepo()
    const identity = await ask((git) => git.identity(repo, Target.make({ _tag: "Uncommitted" }), null))
    assert.deepInclude(identity, { _tag: "Known", head: git(repo, "rev-parse", "HEAD") })
  })
})
