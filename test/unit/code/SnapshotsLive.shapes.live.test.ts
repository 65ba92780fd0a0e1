// An undo gives every byte back, in repositories of every odd kind.
// @module-tag slow
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { eachInHome, git, inHome, makeRepo, submodule } from "./repositories.ts"
import { photo, restore, take, undoes } from "./snapshots.ts"

eachInHome()

const commitAll = (repo: string): void => {
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", "More")
}

/** What an agent may do to the files of `makeRepo`. */
const edit = (repo: string) => (): void => {
  appendFileSync(join(repo, "one.txt"), "edited\n")
  rmSync(join(repo, "deep"), { recursive: true })
  mkdirSync(join(repo, "new/er"), { recursive: true })
  writeFileSync(join(repo, "new/er/file"), "new\n")
}

describe("an undo gives back", () => {
  it("files that were changed, deleted and added, and directories", async () => {
    const repo = makeRepo()
    await undoes(repo, edit(repo))
  })

  it("staged, unstaged, untracked, renamed, binary and executable files, and links", async () => {
    const repo = makeRepo()
    for (const name of ["gone", "moved", "both", "plain"]) {
      writeFileSync(join(repo, name), `${name} ${"x".repeat(99)}\n`)
    }
    commitAll(repo)
    rmSync(join(repo, "gone"))
    git(repo, "mv", "moved", "renamed")
    writeFileSync(join(repo, "both"), "staged\n")
    git(repo, "add", "both")
    writeFileSync(join(repo, "both"), "not staged\n")
    writeFileSync(join(repo, "binary"), Buffer.from([0, 255, 13, 10, 0]))
    chmodSync(join(repo, "one.txt"), 0o755)
    symlinkSync("nowhere", join(repo, "link"))
    writeFileSync(join(repo, "new\nline"), "untracked\n")
    writeFileSync(join(repo, '"quoted" \\ \t'), "untracked\n")
    await undoes(repo, () => {
      writeFileSync(join(repo, "gone"), "here again\n")
      writeFileSync(join(repo, "both"), "x")
      writeFileSync(join(repo, "binary"), Buffer.from([1, 0, 2]))
      chmodSync(join(repo, "one.txt"), 0o644)
      chmodSync(join(repo, "plain"), 0o755)
      unlinkSync(join(repo, "link"))
      symlinkSync("elsewhere", join(repo, "link"))
      rmSync(join(repo, "renamed"))
      rmSync(join(repo, "new\nline"))
      appendFileSync(join(repo, '"quoted" \\ \t'), "more")
      symlinkSync("one.txt", join(repo, "another"))
    })
  })

  it("files that became directories or links, and the other way round", async () => {
    const repo = makeRepo()
    symlinkSync("deep", join(repo, "way"))
    mkdirSync(join(repo, "folder/in"), { recursive: true })
    writeFileSync(join(repo, "folder/in/file"), "x\n")
    commitAll(repo)
    await undoes(repo, () => {
      rmSync(join(repo, "one.txt"))
      mkdirSync(join(repo, "one.txt/a"), { recursive: true })
      writeFileSync(join(repo, "one.txt/a/b"), "b\n")
      rmSync(join(repo, "way"))
      mkdirSync(join(repo, "way"))
      writeFileSync(join(repo, "way/two.txt"), "not through a link\n")
      rmSync(join(repo, "folder"), { recursive: true })
      symlinkSync("deep", join(repo, "folder"))
      rmSync(join(repo, "deep"), { recursive: true })
      writeFileSync(join(repo, "deep"), "a file now\n")
    })
  })

  it("names that are no UTF-8, names that differ in case, and long paths", async () => {
    const repo = makeRepo()
    const odd = Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0xff, 0xfe, 0x2d])])
    writeFileSync(odd, "odd\n")
    writeFileSync(join(repo, "README"), "big\n")
    writeFileSync(join(repo, "readme"), "small\n")
    const long = Array.from({ length: 12 }, () => "d".repeat(200)).join("/")
    mkdirSync(join(repo, long), { recursive: true })
    writeFileSync(join(repo, long, "file"), "deep\n")
    git(repo, "config", "core.ignoreCase", "true")
    await undoes(repo, () => {
      unlinkSync(odd)
      writeFileSync(Buffer.concat([odd, Buffer.from([0xfd])]), "odder\n")
      rmSync(join(repo, "readme"))
      rmSync(join(repo, "d".repeat(200)), { recursive: true })
    })
  })

  it("line endings, whatever settings and attributes make of them", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.autocrlf", "true")
    writeFileSync(join(repo, "crlf"), "a\r\nb\r\n")
    writeFileSync(join(repo, "mixed"), "a\r\nb\n")
    writeFileSync(
      join(repo, ".gitattributes"),
      "*.eol text eol=crlf\n*.id ident\n*.u text working-tree-encoding=UTF-16LE-BOM\n"
    )
    writeFileSync(join(repo, "lf.eol"), "a\nb\n")
    writeFileSync(join(repo, "x.id"), "$Id: something of my own $\n")
    writeFileSync(join(repo, "w.u"), Buffer.from("\ufeffwide\r\n", "utf16le"))
    commitAll(repo)
    writeFileSync(join(repo, "untracked"), "c\r\nd\n")
    await undoes(repo, () => {
      for (const name of ["crlf", "mixed", "lf.eol", "untracked"]) writeFileSync(join(repo, name), "other\r\n")
      writeFileSync(join(repo, "w.u"), "narrow\n")
      rmSync(join(repo, "x.id"))
      rmSync(join(repo, ".gitattributes"))
    })
  })

  it("files behind filters, those that git cannot run too, without running any", async () => {
    const repo = makeRepo()
    git(repo, "config", "filter.upper.clean", `tee -a ${inHome("ran")} | tr a-z A-Z`)
    git(repo, "config", "filter.upper.smudge", `tee -a ${inHome("ran")} | tr A-Z a-z`)
    git(repo, "config", "filter.none.clean", "no-such-program")
    git(repo, "config", "filter.none.required", "true")
    writeFileSync(join(repo, ".gitattributes"), "*.up filter=upper\n*.no filter=none\n")
    writeFileSync(join(repo, "mixed.up"), "Mixed Case\n")
    git(repo, "add", "mixed.up")
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-qm", "Filtered")
    git(repo, "status")
    writeFileSync(join(repo, "a.no"), "bytes\n")
    rmSync(inHome("ran"), { force: true })
    await undoes(repo, () => {
      writeFileSync(join(repo, "mixed.up"), "OTHER case\n")
      writeFileSync(join(repo, "a.no"), "other bytes\n")
      writeFileSync(join(repo, ".gitattributes"), "* filter=upper\n")
    })
    assert.isFalse(existsSync(inHome("ran")))
  })

  it("what a filter had changed, although its rule was taken away before", async () => {
    const repo = makeRepo()
    git(repo, "config", "filter.short.clean", "head -c 1")
    writeFileSync(join(repo, ".gitattributes"), "*.big filter=short\n")
    writeFileSync(join(repo, "a.big"), "many bytes\n")
    commitAll(repo)
    writeFileSync(join(repo, ".gitattributes"), "")
    await undoes(repo, () => writeFileSync(join(repo, "a.big"), "n"))
  })

  it("a merge in progress with its conflict, and the merge goes on", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    writeFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    git(repo, "checkout", "-q", "main")
    writeFileSync(join(repo, "one.txt"), "main\n")
    git(repo, "commit", "-qam", "Main")
    assert.throws(() => git(repo, "merge", "topic"))
    await undoes(repo, edit(repo))
    assert.include(git(repo, "status", "--porcelain"), "UU one.txt")
  })

  it("a rebase in progress", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    writeFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    git(repo, "checkout", "-q", "main")
    writeFileSync(join(repo, "one.txt"), "main\n")
    git(repo, "commit", "-qam", "Main")
    assert.throws(() => git(repo, "rebase", "main", "topic"))
    await undoes(repo, edit(repo))
    assert.include(git(repo, "status"), "rebas")
  })

  it("a linked worktree, and leaves the others alone", async () => {
    const repo = makeRepo('a:b "c"')
    git(repo, "worktree", "add", "-q", "-b", "topic", inHome("linked"))
    const others = photo(repo)
    await undoes(inHome("linked"), edit(inHome("linked")))
    assert.deepStrictEqual(photo(repo), others)
  })

  it("a shallow clone", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "one.txt"), "second\n")
    commitAll(repo)
    git(inHome(), "clone", "-q", "--depth", "1", `file://${repo}`, inHome("shallow"))
    await undoes(inHome("shallow"), edit(inHome("shallow")))
  })

  it("a sparse checkout, and what it leaves out stays out", async () => {
    const repo = makeRepo()
    for (const folder of ["kept", "out"]) {
      mkdirSync(join(repo, folder))
      writeFileSync(join(repo, folder, "file"), `${folder}\n`)
    }
    commitAll(repo)
    git(repo, "sparse-checkout", "set", "kept")
    assert.isFalse(existsSync(join(repo, "out")))
    await undoes(repo, () => {
      mkdirSync(join(repo, "out"))
      writeFileSync(join(repo, "out/file"), "written all the same\n")
      writeFileSync(join(repo, "kept/file"), "edited\n")
    })
  })

  it("a repository without a commit", async () => {
    const repo = inHome("empty")
    mkdirSync(repo)
    git(repo, "init", "-q")
    writeFileSync(join(repo, "a"), "a\n")
    writeFileSync(join(repo, "staged"), "s\n")
    git(repo, "add", "staged")
    await undoes(repo, () => {
      rmSync(join(repo, "a"))
      writeFileSync(join(repo, "staged"), "t\n")
      writeFileSync(join(repo, "b"), "b\n")
    })
  })

  it("a repository of SHA-256", async () => {
    const repo = inHome("long")
    mkdirSync(repo)
    git(repo, "init", "-q", "--object-format=sha256")
    writeFileSync(join(repo, "a"), "a\r\n")
    commitAll(repo)
    await undoes(repo, () => rmSync(join(repo, "a")))
  })

  it("files that the index hides, and those whose rights git is told to ignore", async () => {
    const repo = makeRepo()
    git(repo, "update-index", "--assume-unchanged", "one.txt")
    git(repo, "config", "core.fileMode", "false")
    appendFileSync(join(repo, "one.txt"), "hidden\n")
    await undoes(repo, () => {
      writeFileSync(join(repo, "one.txt"), "edited\n")
      chmodSync(join(repo, "deep/two.txt"), 0o755)
    })
  })

  it("submodules and repositories in it, each from its own snapshots", async () => {
    const repo = makeRepo()
    const inner = makeRepo("inner")
    submodule(inner, makeRepo("innermost"))
    submodule(repo, inner)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    appendFileSync(join(repo, "lib/lib/one.txt"), "edited\n")
    mkdirSync(join(repo, "fresh"))
    git(join(repo, "fresh"), "init", "-q")
    writeFileSync(join(repo, "fresh/file"), "x\n")
    await undoes(repo, () => {
      rmSync(join(repo, "lib/lib/one.txt"))
      writeFileSync(join(repo, "lib/one.txt"), "agent\n")
      writeFileSync(join(repo, "fresh/other"), "agent\n")
      writeFileSync(join(repo, "fresh/file"), "agent\n")
      writeFileSync(join(repo, "one.txt"), "agent\n")
    })
  })
})

describe("an undo leaves alone", () => {
  it("ignored files, also those that rules ignored then and no longer do", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "*.log\nbuild/\n")
    commitAll(repo)
    writeFileSync(join(repo, "a.log"), "log\n")
    mkdirSync(join(repo, "build/deep"), { recursive: true })
    writeFileSync(join(repo, "build/deep/out"), "out\n")
    await take(repo)
    rmSync(join(repo, ".gitignore"))
    writeFileSync(join(repo, "a.log"), "more\n")
    await restore(repo, 1)
    assert.strictEqual(readFileSync(join(repo, "a.log"), "utf8"), "more\n")
    assert.strictEqual(readFileSync(join(repo, "build/deep/out"), "utf8"), "out\n")
    assert.isTrue(existsSync(join(repo, ".gitignore")))
  })

  it("a file that is ignored by now is put back, and what it was can be had again", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "notes"), "mine\n")
    await undoes(repo, () => {
      writeFileSync(join(repo, ".gitignore"), "notes\n")
      writeFileSync(join(repo, "notes"), "agent\n")
    })
  })

  it("what git kept in repositories that are gone, and says so; those that came since go", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "fresh"))
    git(join(repo, "fresh"), "init", "-q")
    writeFileSync(join(repo, "fresh/file"), "x\n")
    await take(repo)
    rmSync(join(repo, "fresh"), { recursive: true })
    mkdirSync(join(repo, "cloned"))
    git(join(repo, "cloned"), "init", "-q")
    writeFileSync(join(repo, "cloned/file"), "x\n")
    const { left } = await restore(repo, 1)
    assert.deepStrictEqual(left, [{ path: "fresh/.git", reason: "GitDirectory" }])
    assert.isFalse(existsSync(join(repo, "cloned")))
    assert.strictEqual(readFileSync(join(repo, "fresh/file"), "utf8"), "x\n")
  })
})
