// CopyGit.live: git in a copy shows what it shows in the worktree, or more, whatever attributes and settings a change has.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeCopy } from "../../../src/code/Copy.live.ts"
import { contentsById } from "../../../src/code/Store.live.ts"
import { asked, copied, filesIn, frozenNow, plain, seenIn, showsTheSame } from "../../support/copies.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "../../support/repositories.ts"

eachInHome()

const commitAll = (repo: string, message = "More") => {
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", message)
}

describe("git in a copy shows the same for", () => {
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

it("an object that git cannot read is named, with what to do", async () => {
  const { store } = await frozenNow(makeRepo())
  const id = "0123456789".repeat(4)
  const failed = await run(Effect.flip(contentsById(store, [{ mode: "100644", id }])))
  assert.strictEqual(
    failed.message,
    "git cannot read object 012345678901 " +
      "[git fsck names what is missing or damaged; fetch it again, or clone anew]"
  )
})

/** The lines of a difference that are added or removed. */
const changedLines = (diff: string): ReadonlyArray<string> =>
  diff.split("\n").filter((line) => /^[-+](?![-+]{2} )/.test(line))

describe("attributes of a change", () => {
  const hostile: Readonly<Record<string, string>> = {
    "an encoding that git does not know": "*.js working-tree-encoding=NOPE",
    "an encoding without a name": "*.js working-tree-encoding",
    "an encoding that hides bytes": "*.js working-tree-encoding=UTF-7",
    "no difference": "*.js -diff",
    "binary": "*.js binary",
    "a macro": "[attr]quiet -diff\n*.js quiet",
    "a driver of differences": "*.js diff=evil",
    "a filter": "*.js filter=evil",
    "a merge driver": "*.js merge=evil"
  }
  for (const [name, line] of Object.entries(hostile)) {
    const tags = name === "no difference" ? [] : ["slow"]
    it(`with ${name} hide no line`, { tags }, async () => {
      const repo = makeRepo()
      writeFileSync(join(repo, "code.js"), "one\ntwo\n")
      commitAll(repo)
      git(repo, "config", "filter.evil.clean", `touch ${inHome("ran")}; cat code.js`)
      git(repo, "config", "diff.evil.command", `touch ${inHome("ran")}`)
      writeFileSync(join(repo, ".gitattributes"), `${line}\n`)
      writeFileSync(join(repo, "code.js"), "one\nevil\n")
      const { copy } = await copied(repo)
      assert.deepStrictEqual(changedLines(asked(copy.place, "reviewer", "diff", "HEAD", "--", "code.js")), [
        "-two",
        "+evil"
      ])
      assert.isFalse(existsSync(inHome("ran")))
    })
  }
})

describe("a file whose form differs from what is committed", () => {
  const pointer = (content: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${
      createHash("sha256").update(content).digest("hex")
    }\nsize ${content.length}\n`

  it("is unchanged if it is what the pointer of LFS names, and shown if it is not", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitattributes"), "*.big filter=lfs diff=lfs merge=lfs -text\n")
    for (const name of ["same", "pointer", "changed"]) writeFileSync(join(repo, `${name}.big`), pointer(name))
    // A pointer without the attribute is a text.
    writeFileSync(join(repo, "plain"), pointer("plain"))
    commitAll(repo)
    for (const name of ["same", "plain"]) writeFileSync(join(repo, name === "same" ? "same.big" : name), name)
    writeFileSync(join(repo, "changed.big"), "changed!\n")
    const { copy } = await copied(repo)
    assert.strictEqual(git(copy.place, "status", "--porcelain"), "M changed.big\n M plain")
    assert.include(git(copy.place, "diff", "changed.big"), "+changed!")
  })

  it("is shown if the pointer that names it is staged and not committed", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "code.js"), "good()\n")
    commitAll(repo)
    writeFileSync(join(repo, ".gitattributes"), "*.js filter=lfs\n")
    writeFileSync(join(repo, "code.js"), "evil()\n")
    writeFileSync(inHome("pointer"), pointer("evil()\n"))
    const id = git(repo, "hash-object", "-w", "--no-filters", inHome("pointer"))
    git(repo, "update-index", "--cacheinfo", `100644,${id},code.js`)
    const { copy } = await copied(repo)
    assert.deepStrictEqual(changedLines(asked(copy.place, "reviewer", "diff", "HEAD", "--", "code.js")), [
      "-good()",
      "+evil()"
    ])
  })

  for (const [encoding, bytes] of [["UTF-16", "\ufeff"], ["utf-16le", ""], ["UTF-16LE-BOM", "\ufeff"]] as const) {
    it(`is unchanged if it is what is committed in ${encoding}, and shown if it is not`, async () => {
      const repo = makeRepo()
      writeFileSync(join(repo, ".gitattributes"), `*.u working-tree-encoding=${encoding}\nwindows.u text eol=crlf\n`)
      const write = (name: string, text: string) => writeFileSync(join(repo, name), bytes + text, "utf16le")
      for (const name of ["same.u", "changed.u"]) write(name, "é\nx\n")
      write("windows.u", "é\r\nx\r\n")
      commitAll(repo)
      await showsTheSame(repo)
      write("changed.u", "é\ny\n")
      appendFileSync(join(repo, "one.txt"), "more\n")
      const { copy } = await copied(repo)
      assert.strictEqual(git(copy.place, "diff", "--name-only"), "changed.u\none.txt")
    })
  }
})

describe("repositories within a worktree", () => {
  const withLib = () => {
    const lib = makeRepo("lib")
    const repo = makeRepo()
    submodule(repo, lib)
    return { lib, repo, inner: join(repo, "lib") }
  }

  it("a submodule shows what it shows, whether unchanged, on another commit, or dirty", async () => {
    const { inner, repo } = withLib()
    await showsTheSame(repo)
    appendFileSync(join(inner, "one.txt"), "more\n")
    const dirty = await showsTheSame(repo)
    assert.deepStrictEqual(
      seenIn(join(dirty.copy.place, "lib"), "reviewer", "HEAD")["unstaged"],
      seenIn(inner, "person", "HEAD")["unstaged"]
    )
    commitAll(inner)
    await showsTheSame(repo)
    writeFileSync(join(inner, "untracked"), "x\n")
    git(repo, "add", "lib")
    await showsTheSame(repo)
  })

  it("a submodule whose changes the change wants hidden shows them", async () => {
    const { inner, repo } = withLib()
    git(repo, "config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    git(repo, "config", "--file", ".gitmodules", 'submodule.a "b" \\c.ignore', "all")
    appendFileSync(join(inner, "one.txt"), "more\n")
    const { copy } = await copied(repo)
    assert.strictEqual(git(copy.place, "status", "--porcelain"), "M .gitmodules\n M lib")
    for (const text of ["[no settings", "[include]\n\tpath = /dev/null\n"]) {
      writeFileSync(join(repo, ".gitmodules"), text)
      const other = await copied(repo, {}, "other")
      assert.include(asked(other.copy.place, "reviewer", "diff", "--", ".gitmodules"), text.slice(0, 5))
    }
  })

  it("a submodule whose changes were hidden by settings that are deleted now, or lead elsewhere", async () => {
    const { inner, repo } = withLib()
    git(repo, "config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    git(repo, "commit", "-qam", "Ignored")
    appendFileSync(join(inner, "one.txt"), "more\n")
    rmSync(join(repo, ".gitmodules"))
    const gone = await copied(repo)
    assert.strictEqual(asked(gone.copy.place, "reviewer", "status", "--porcelain"), " D .gitmodules\n M lib\n")
    symlinkSync("nowhere", join(repo, ".gitmodules"))
    const link = await copied(repo, {}, "link")
    assert.strictEqual(asked(link.copy.place, "reviewer", "status", "--porcelain"), " T .gitmodules\n M lib\n")
  })

  it("a submodule follows no rules of the repository around it", async () => {
    const { inner, repo } = withLib()
    appendFileSync(join(repo, ".git/info/exclude"), "*.local\n")
    for (const directory of [repo, inner]) writeFileSync(join(directory, "new.local"), "new\n")
    await showsTheSame(repo)
  })

  it("a submodule whose .git ends in another line end shows what it shows", async () => {
    const { inner, repo } = withLib()
    writeFileSync(join(inner, ".git"), "gitdir: ../.git/modules/lib\r\n")
    appendFileSync(join(inner, "one.txt"), "more\n")
    await showsTheSame(repo)
  })

  const unread: ReadonlyArray<readonly [string, string, (repo: string) => void]> = [
    ["whose .git is a link", "lib", (repo) => {
      git(repo, "config", "--file", ".git/modules/lib/config", "core.worktree", join(repo, "lib"))
      rmSync(join(repo, "lib/.git"))
      symlinkSync("../.git/modules/lib", join(repo, "lib/.git"))
    }],
    ["whose HEAD is on a symbolic branch", "lib", (repo) => {
      git(join(repo, "lib"), "symbolic-ref", "refs/heads/alias", "refs/heads/main")
      git(join(repo, "lib"), "symbolic-ref", "HEAD", "refs/heads/alias")
    }],
    ["whose name is no UTF-8", "caf\ufffd", (repo) => {
      execFileSync("sh", ["-c", "git mv lib \"$(printf 'caf\\351')\""], { cwd: repo })
    }]
  ]
  it.each(unread)("a submodule %s is named, and no copy is made", async (_, name, change) => {
    const { repo } = withLib()
    change(repo)
    const { frozen, store } = await frozenNow(repo)
    const { message } = await run(Effect.flip(makeCopy(store, frozen, inHome("copy"), plain)))
    assert.isTrue(message.startsWith(`submodule ${name}: its git directory cannot be read`), message)
    assert.isFalse(existsSync(inHome("copy")))
  })

  it("a submodule that is not checked out, or whose directory is gone", async () => {
    const { inner, repo } = withLib()
    git(repo, "submodule", "-q", "deinit", "-f", "lib")
    await showsTheSame(repo)
    rmSync(inner, { recursive: true })
    await showsTheSame(repo)
  })

  it("a submodule within a submodule", async () => {
    const { inner, lib, repo } = withLib()
    submodule(inner, lib)
    git(repo, "commit", "-qam", "Bump")
    await showsTheSame(repo)
    writeFileSync(join(inner, "lib/one.txt"), "changed\n")
    const { copy } = await showsTheSame(repo)
    assert.deepStrictEqual([...copy.submodules].sort(), ["lib", "lib/lib"])
  })

  it("any other repository: its files are untracked, also those of its submodules", async () => {
    const repo = makeRepo()
    const lib = makeRepo("lib")
    git(repo, "clone", "-q", lib, "other")
    submodule(join(repo, "other"), lib)
    const { copy } = await copied(repo)
    const status = git(copy.place, "status", "--porcelain", "--untracked-files=all").split("\n")
    for (const path of ["other/one.txt", "other/lib/deep/two.txt"]) assert.include(status, `?? ${path}`)
    assert.deepStrictEqual(copy.submodules, [])
  })

  it("a name that is no UTF-8, links and an unborn repository do no harm", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "unborn"))
    git(join(repo, "unborn"), "init", "-q")
    writeFileSync(join(repo, "unborn/x"), "x\n")
    execFileSync("sh", ["-c", "printf x >\"$(printf 'caf\\351')\"; git init -q \"$(printf 'd\\351')\""], { cwd: repo })
    const { copy } = await copied(repo)
    const status = asked(copy.place, "reviewer", "status", "--porcelain", "-uall", "-z").split("\0")
    for (const path of ["caf\xe9", "unborn/x"]) assert.include(status, `?? ${path}`)
  })
})
