// CopyHonest: no attribute, setting or nested repository of a change hides a line from who works in a copy of it.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeCopy } from "../../../src/code/Copy.live.ts"
import { asked, copied, frozenNow, plain, seenIn, showsTheSame } from "./copies.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const commitAll = (repo: string, message = "More") => {
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", message)
}

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

  it("that expand an id hide nothing around it", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitattributes"), "*.js ident\n")
    writeFileSync(join(repo, "code.js"), "one\n// $Id$\n")
    commitAll(repo)
    writeFileSync(join(repo, "code.js"), "one\n// $Id: evil() $\n")
    const { copy } = await copied(repo)
    assert.deepStrictEqual(changedLines(asked(copy.place, "reviewer", "diff")), ["-// $Id$", "+// $Id: evil() $"])
  })
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

  it("any other repository: its files are untracked ones, as is what a submodule of it has", async () => {
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
