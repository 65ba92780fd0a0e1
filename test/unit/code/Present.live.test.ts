// Present.live: the identity of what is reviewed, in repositories of every odd kind: it sees each change and writes nothing.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { layer } from "../../../src/code/Git.live.ts"
import { Git } from "../../../src/code/Git.ts"
import { IdentityTimeout } from "../../../src/platform/GitCommand.ts"
import { differs, type Identity, sameInput } from "../../../src/run/Identity.ts"
import { BranchName, CommitSha, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "../../support/repositories.ts"

const uncommitted = Target.make({ _tag: "Uncommitted" })
const against = (branch: string) => Target.make({ _tag: "Base", branch: BranchName.make(branch) })

eachInHome()

const identityOf = (repo: string, target: Target, base: BranchName | null) =>
  Effect.provide(Git.use((git) => git.identity(repo, target, base)), layer)

const identity = (repo: string, target: Target = uncommitted): Promise<Identity> => run(identityOf(repo, target, null))

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

describe("the identity of a worktree", () => {
  it("is HEAD and the tree of the working copy, which git itself would write", async () => {
    const repo = makeRepo()
    const head = git(repo, "rev-parse", "HEAD")
    const committed = git(repo, "rev-parse", "HEAD^{tree}")
    const { held: _, index, indexMoved: __, moved: ___, stamps: ____, view: _____, viewMoved: ______, ...seen } =
      await known(repo)
    assert.deepStrictEqual(seen, {
      _tag: "Known",
      head,
      headTree: committed,
      indexTree: committed,
      tree: committed,
      untracked: false,
      nested: "",
      base: null
    })
    assert.match(index ?? "", /^[0-9a-f]{64}$/)
    appendFileSync(join(repo, "deep/two.txt"), "more\n")
    const { tree } = await known(repo)
    git(repo, "commit", "-qam", "Two")
    assert.strictEqual(git(repo, "rev-parse", "HEAD^{tree}"), tree)
    assert.notStrictEqual((await known(repo)).head, head)
  })

  it("does not see ignored files", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "*.log\n")
    const { stamps: _, ...before } = await known(repo)
    writeFileSync(join(repo, "a.log"), "x")
    // The times of its directory show that something was made there.
    assert.deepInclude(await known(repo), before)
  })

  it("of a commit is the commit, and unknown where it is not there", async () => {
    const repo = makeRepo()
    const head = git(repo, "rev-parse", "HEAD")
    const commit = (sha: string) => Target.make({ _tag: "Commit", sha: CommitSha.make(sha) })
    const { view: _, viewMoved: __, ...seen } = await known(repo, commit(head))
    assert.deepStrictEqual(seen, { _tag: "Known", head, tree: null, base: null })
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

  it.each(["co:lon", 'co:lon "quoted" \\n', "li\nne", "$HOME 'ünï'"])(
    "guards the tree in a directory called %j",
    async (name) => {
      await guards(makeRepo(name))
    }
  )

  it("guards the tree in a linked worktree of such a directory", { tags: "slow" }, async () => {
    const repo = makeRepo("a:b\nc")
    const linked = inHome("linked")
    git(repo, "worktree", "add", "-q", linked)
    await guards(linked)
  })

  it("guards the tree in a sparse checkout, also of files outside of it", async () => {
    const repo = makeRepo()
    git(repo, "sparse-checkout", "set", "--cone", "elsewhere")
    const before = await known(repo)
    const problem = Effect.provide(Git.use((git) => git.targetProblem(repo, uncommitted, null)), layer)
    assert.deepStrictEqual(await run(problem), { _tag: "NothingUncommitted" }, "what is not checked out is not deleted")
    mkdirSync(join(repo, "deep"), { recursive: true })
    writeFileSync(join(repo, "deep", "three.txt"), "x")
    assert.notStrictEqual((await known(repo)).tree, before.tree)
    await guards(repo, uncommitted, "deep/three.txt")
  })

  it.each(["LITERAL", "NOGLOB", "ICASE"])(
    "guards the tree where the environment asks for pathspecs that are %s",
    async (kind) => {
      const repo = makeRepo()
      vi.stubEnv(`GIT_${kind}_PATHSPECS`, "1")
      await guards(repo)
    }
  )

  it("guards the tree where a filter that git must use is not installed", async () => {
    const repo = makeRepo()
    git(repo, "config", "filter.big.clean", "no-such-program")
    git(repo, "config", "filter.big.required", "true")
    writeFileSync(join(repo, ".gitattributes"), "*.bin filter=big\n")
    writeFileSync(join(repo, "a\nb.bin"), "x")
    await guards(repo, uncommitted, "a\nb.bin")
    const { stamps: _, viewMoved: __, ...before } = await known(repo)
    writeFileSync(join(repo, ".gitignore"), "*.log\n.gitignore\n")
    writeFileSync(join(repo, "a.log"), "x")
    assert.deepInclude(await known(repo), before, "ignored files stay out")
    chmodSync(join(repo, "one.txt"), 0o755)
    assert.notStrictEqual((await known(repo)).tree, before.tree)
    rmSync(join(repo, "one.txt"))
    assert.notStrictEqual((await known(repo)).tree, before.tree)
  })

  it.each(["missing", "inside"])("guards the tree with a temporary directory that is %s", async (kind) => {
    const repo = makeRepo()
    const temporary = join(kind === "inside" ? repo : inHome(), "tmp")
    if (kind === "inside") mkdirSync(temporary)
    vi.stubEnv("TMPDIR", temporary)
    await guards(repo)
  })

  it.each([false, true])("writes nothing into .git and leaves nothing behind (a split index: %s)", async (split) => {
    const repo = makeRepo()
    if (split) git(repo, "config", "core.splitIndex", "true")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    vi.stubEnv("TMPDIR", inHome("tmp"))
    mkdirSync(inHome("tmp"))
    const before = contents(join(repo, ".git"))
    await known(repo)
    assert.deepStrictEqual(contents(join(repo, ".git")), before)
    assert.isEmpty(readdirSync(inHome("tmp")))
  })
})

/** What a reviewer could see before and after a change; the two differ unless `same` says otherwise. */
const seesChange = async (repo: string, change: () => void, target: Target = uncommitted): Promise<void> => {
  const before = await identity(repo, target)
  change()
  const after = await identity(repo, target)
  assert.strictEqual(sameInput(before, after), "Different", `${JSON.stringify(before)} and ${JSON.stringify(after)}`)
}

describe("what a reviewer can see", () => {
  it("holds what is staged behind an unchanged file", async () => {
    const repo = makeRepo()
    await seesChange(repo, () => {
      writeFileSync(join(repo, "one.txt"), "staged\n")
      git(repo, "add", "one.txt")
      writeFileSync(join(repo, "one.txt"), "one.txt\n")
    })
  })

  it.each(["--assume-unchanged", "--skip-worktree"])("holds files that the index hides with %s", async (flag) => {
    const repo = makeRepo()
    git(repo, "update-index", flag, "one.txt")
    await seesChange(repo, () => writeFileSync(join(repo, "one.txt"), "hidden\n"))
    assert.include(git(repo, "ls-files", "-v"), flag === "--skip-worktree" ? "S one.txt" : "h one.txt")
  })

  it("holds hidden files with names that no list of lines could hold", { tags: "slow" }, async () => {
    const repo = makeRepo()
    const odd = Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0x6e, 0xff, 0x0a, 0x6e])])
    writeFileSync(odd, "1")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Odd")
    const [name = ""] = git(repo, "ls-files", "-z").split("\0").filter((one) => one.startsWith("n"))
    assert.notStrictEqual(name, "")
    execFileSync("git", ["update-index", "--skip-worktree", "-z", "--stdin"], {
      cwd: repo,
      input: Buffer.from([0x6e, 0xff, 0x0a, 0x6e, 0])
    })
    await seesChange(repo, () => writeFileSync(odd, "22"))
  })

  /** A branch `topic` whose change is committed, and what git does not look at there. */
  const onTopic = (...args: ReadonlyArray<string>): string => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    if (args.length > 0) git(repo, ...args)
    writeFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    return repo
  }
  const commitOf = (digit: string) => `160000,${digit.repeat(40)},lib`

  // In each, git shows the change only once it is committed or not hidden any more.
  const unseen: ReadonlyArray<readonly [string, () => readonly [string, () => void]]> = [
    ["a commit removes a file that was absent on purpose", () => {
      const repo = onTopic()
      git(repo, "update-index", "--skip-worktree", "deep/two.txt")
      rmSync(join(repo, "deep"), { recursive: true })
      return [repo, () => {
        git(repo, "update-index", "--no-skip-worktree", "deep/two.txt")
        git(repo, "commit", "-qam", "Removed")
      }]
    }],
    ["a file that both flags hid is missing", () => {
      const repo = onTopic()
      for (const flag of ["--skip-worktree", "--assume-unchanged"]) git(repo, "update-index", flag, "deep/two.txt")
      rmSync(join(repo, "deep"), { recursive: true })
      return [
        repo,
        () => {
          for (const flag of ["--no-skip-worktree", "--no-assume-unchanged"]) {
            git(repo, "update-index", flag, "deep/two.txt")
          }
        }
      ]
    }],
    ["a file of a submodule that was hidden is missing", () => {
      const repo = onTopic()
      submodule(repo, makeRepo("other"))
      const lib = join(repo, "lib")
      git(lib, "update-index", "--skip-worktree", "one.txt")
      rmSync(join(lib, "one.txt"))
      return [repo, () => git(lib, "update-index", "--no-skip-worktree", "one.txt")]
    }],
    ["a submodule has a file that only the repository around it ignores", () => {
      const repo = onTopic()
      submodule(repo, makeRepo("other"))
      appendFileSync(join(repo, ".git/info/exclude"), "*.local\n")
      return [repo, () => writeFileSync(join(repo, "lib/new.local"), "new\n")]
    }],
    ["a commit moves a submodule that is not checked out", () => {
      const repo = onTopic()
      mkdirSync(join(repo, "lib"))
      git(repo, "update-index", "--add", "--cacheinfo", commitOf("1"))
      git(repo, "commit", "-qm", "Added")
      return [repo, () => {
        git(repo, "update-index", "--cacheinfo", commitOf("2"))
        git(repo, "commit", "-qm", "Moved")
      }]
    }],
    ["a commit adds a submodule that is not checked out", () => {
      const repo = onTopic()
      return [repo, () => {
        git(repo, "update-index", "--add", "--cacheinfo", commitOf("1"))
        git(repo, "commit", "-qm", "Added")
      }]
    }],
    ["a commit makes a program of a file where modes are not kept", () => {
      const repo = onTopic("config", "core.fileMode", "false")
      return [repo, () => {
        git(repo, "update-index", "--chmod=+x", "one.txt")
        git(repo, "commit", "-qm", "Program")
      }]
    }],
    ["a commit makes a link of a file where links are not kept", () => {
      const repo = onTopic("config", "core.symlinks", "false")
      return [repo, () => {
        const id = git(repo, "hash-object", "one.txt")
        git(repo, "update-index", "--cacheinfo", `120000,${id},one.txt`)
        git(repo, "commit", "-qm", "Link")
      }]
    }],
    ["a file lies in git~1 while .GIT is a link to the file .git", () => {
      const linked = inHome("linked")
      git(onTopic(), "worktree", "add", "-q", linked)
      linkSync(join(linked, ".git"), join(linked, ".GIT"))
      return [linked, () => {
        mkdirSync(join(linked, "git~1"))
        writeFileSync(join(linked, "git~1/new.js"), "new\n")
      }]
    }]
  ]
  it.each(unseen)("says whether %s", async (_, make) => {
    const [repo, change] = make()
    await seesChange(repo, change, against("main"))
  })

  it("is asked about a submodule that moved and nothing else", async () => {
    const repo = makeRepo()
    git(repo, "update-index", "--add", "--cacheinfo", commitOf("1"))
    git(repo, "commit", "-qm", "Added")
    git(repo, "checkout", "-qb", "topic")
    mkdirSync(join(repo, "lib"))
    git(repo, "update-index", "--cacheinfo", commitOf("2"))
    git(repo, "commit", "-qm", "Moved")
    assert.isNull(
      await run(Effect.provide(Git.use((git) => git.targetProblem(repo, against("main"), null)), layer))
    )
  })

  it("is read where something else than a part of a split index has its name", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, ".git/sharedindex.0"))
    await known(repo)
  })

  it("holds an edit in a submodule, and one in a submodule of it", async () => {
    const repo = makeRepo()
    const inner = makeRepo("inner")
    submodule(inner, makeRepo("innermost"))
    submodule(repo, inner)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    await seesChange(repo, () => appendFileSync(join(repo, "lib/one.txt"), "edited\n"))
    await seesChange(repo, () => appendFileSync(join(repo, "lib/lib/one.txt"), "edited\n"))
    await seesChange(repo, () => git(join(repo, "lib/lib"), "add", "."))
    await seesChange(repo, () => git(join(repo, "lib"), "commit", "-qam", "Moved"))
  })

  it.each([true, false])("holds an edit in an untracked repository (with a commit: %s)", async (commit) => {
    const repo = makeRepo()
    const nested = join(repo, "nested")
    mkdirSync(nested)
    git(nested, "init", "-q")
    writeFileSync(join(nested, "file"), "1")
    if (commit) {
      git(nested, "add", ".")
      git(nested, "commit", "-qm", "One")
    }
    assert.isTrue((await known(repo)).untracked)
    await seesChange(repo, () => writeFileSync(join(nested, "file"), "22"))
  })

  it("holds an edit in a submodule whose repository is gone", { tags: "slow" }, async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("other"))
    rmSync(join(repo, ".git", "modules"), { recursive: true })
    await seesChange(repo, () => appendFileSync(join(repo, "lib/one.txt"), "edited\n"))
  })

  it("leaves out a submodule that is not checked out, and what is ignored", async () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("other"))
    git(repo, "submodule", "--quiet", "deinit", "-f", "lib")
    writeFileSync(join(repo, ".gitignore"), "ignored\n")
    mkdirSync(join(repo, "ignored"))
    git(join(repo, "ignored"), "init", "-q")
    const before = await known(repo)
    assert.strictEqual(before.nested, "")
    writeFileSync(join(repo, "ignored/file"), "1")
    assert.strictEqual(sameInput(before, await identity(repo)), "Same")
  })

  it("depends on attributes and settings for line ends, wherever they are", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.attributesFile", inHome("attributes"))
    for (
      const change of [
        () => writeFileSync(inHome("attributes"), "*.txt text eol=crlf\n"),
        () => writeFileSync(join(repo, ".git/info/attributes"), "*.txt -text\n"),
        () => git(repo, "config", "core.eol", "crlf")
      ]
    ) await seesChange(repo, change)
  })

  it("is known as far as it can be within its time, and leaves no files", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "enormous"), "")
    truncateSync(join(repo, "enormous"), 600 * 1024 ** 3)
    vi.stubEnv("TMPDIR", inHome("tmp"))
    mkdirSync(inHome("tmp"))
    const asked = Effect.provideService(identityOf(repo, against("main"), null), IdentityTimeout, 1500)
    const late = await run(asked)
    assert.deepInclude(late, {
      _tag: "Unknown",
      why: "reading the files took longer than 1s500ms " +
        "[raise --identity-timeout, or have git ignore what is not to be reviewed]",
      head: git(repo, "rev-parse", "HEAD"),
      mergeBase: git(repo, "rev-parse", "main")
    })
    assert.isEmpty(readdirSync(inHome("tmp")))
  })

  it("is known as far as it can be where the index is broken: a commit counts", async () => {
    const repo = makeRepo()
    const index = join(repo, ".git/index")
    const breakIndex = () => writeFileSync(index, readFileSync(index).subarray(0, 20))
    const sound = await identity(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "Two")
    breakIndex()
    const broken = await identity(repo)
    assert.strictEqual(broken._tag, "Unknown")
    assert.isTrue(differs(sound, broken), "whatever else is unknown")
    assert.strictEqual(sameInput(broken, broken), "Unknown")
  })
})

describe("the identity against a base branch", () => {
  /** A clone on a topic branch with two commits of its own, whose main tracks the origin's. */
  const cloned = (): string => {
    const origin = makeRepo("origin")
    git(origin, "config", "receive.denyCurrentBranch", "ignore")
    const repo = inHome("clone")
    git(inHome(), "clone", "-q", origin, repo)
    git(repo, "checkout", "-qb", "topic")
    for (const text of ["first\n", "second\n"]) {
      appendFileSync(join(repo, "one.txt"), text)
      git(repo, "commit", "-qam", text.trim())
    }
    return repo
  }

  it("is what codex compares with: the upstream, where that is ahead of the branch", async () => {
    const repo = cloned()
    const before = await known(repo, against("main"))
    assert.strictEqual(before.mergeBase, git(repo, "rev-parse", "main"))
    await seesChange(repo, () => {
      git(repo, "push", "-q", "origin", "topic~1:main")
      git(repo, "fetch", "-q")
    }, against("main"))
    assert.strictEqual((await known(repo, against("main"))).mergeBase, git(repo, "rev-parse", "topic~1"))
    assert.strictEqual((await known(repo, against("main"))).base, git(repo, "rev-parse", "main"))
  })

  it("stays the same when the base moves on without the topic", { tags: "slow" }, async () => {
    const repo = cloned()
    const before = await identity(repo, against("main"))
    const aside = git(repo, "commit-tree", "-p", "main", "-m", "Aside", "main^{tree}")
    git(repo, "branch", "-f", "main", aside)
    assert.strictEqual(sameInput(before, await identity(repo, against("main"))), "Same")
  })

  it("stays the same when what was reviewed is committed, but not when an untracked file goes with it", async () => {
    const repo = cloned()
    appendFileSync(join(repo, "one.txt"), "third\n")
    const reviewed = await identity(repo, against("main"))
    git(repo, "commit", "-qam", "Third")
    assert.strictEqual(sameInput(reviewed, await identity(repo, against("main"))), "Same")
    writeFileSync(join(repo, "new.txt"), "new\n")
    const untracked = await identity(repo, against("main"))
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "New")
    assert.strictEqual(sameInput(untracked, await identity(repo, against("main"))), "Different")
  })
})

describe("another worktree of the repository, inside of this one,", () => {
  it("is named beside the code, and what happens in it changes nothing", async () => {
    const repo = makeRepo()
    const before = await known(repo)
    git(repo, "worktree", "add", "-q", ".claude/worktrees/mate", "-b", "mate")
    const after = await known(repo)
    assert.deepStrictEqual(after, { ...before, otherWorktrees: [".claude/worktrees/mate"] })
    writeFileSync(join(repo, ".claude/worktrees/mate/new.txt"), "new")
    assert.deepStrictEqual(await known(repo), after)
    assert.strictEqual(sameInput(before, after), "Same")
  })

  it("counts as code where the base has such a path", async () => {
    const repo = makeRepo()
    git(repo, "branch", "base")
    git(repo, "rm", "-q", "-r", "deep")
    git(repo, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "Gone")
    git(repo, "worktree", "add", "-q", "deep", "-b", "mate")
    assert.isUndefined((await known(repo, against("base"))).otherWorktrees)
    assert.deepStrictEqual((await known(repo)).otherWorktrees, ["deep"])
  })
})
