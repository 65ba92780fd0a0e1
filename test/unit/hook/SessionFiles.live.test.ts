// SessionFiles.live: the files of a session on this machine: real git, a real folder of plans, and links out of it.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { layer } from "../../../src/hook/SessionFiles.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { SessionFiles } from "../../../src/hook/Sessions.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

const ask = <A>(effect: (files: SessionFiles["Service"]) => Effect.Effect<A>) =>
  Effect.runPromise(
    SessionFiles.use(effect).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, { HOME: dir(), PATH: process.env["PATH"] ?? "" })
    )
  )

describe("the changes of files", () => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: dir(), stdio: "pipe" })
  const changes = (paths: ReadonlyArray<string>, most = 10_000) => ask((files) => files.changes(dir(), paths, most))
  beforeEach(() => {
    git("init", "-q")
    for (const name of ["a", "b"]) fs.writeFileSync(dir(name), "one\n")
    git("add", ".")
    git("commit", "-qm", "x")
  })

  it("are a diff of these files only, with the full text of new ones", async () => {
    for (const name of ["a", "b", "new", "*"]) fs.writeFileSync(dir(name), `two ${name}\n`)
    const diff = await changes([dir("a"), "new"])
    for (const text of ["-one", "+two a", "new file new\ntwo new"]) assert.include(diff, text)
    assert.notInclude(diff, "two b")
    assert.notInclude(await changes(["*"]), "two b")
  })

  it("are empty without files, outside a repository, and if nothing changed", async () => {
    assert.deepStrictEqual([await changes([]), await changes(["a"]), await changes(["/etc/passwd"])], ["", "", ""])
    fs.rmSync(dir(".git"), { recursive: true })
    assert.strictEqual(await changes(["a"]), "")
  })

  it("are found from any directory, beside files of other places, behind links, and in deleted folders", async () => {
    fs.mkdirSync(dir("deep"))
    fs.writeFileSync(dir("deep", "c"), "gone\n")
    git("add", ".")
    git("commit", "-qm", "y")
    fs.rmSync(dir("deep"), { recursive: true })
    fs.writeFileSync(dir("a"), "two a\n")
    fs.symlinkSync(dir(), `${dir()}-link`)
    try {
      const paths = [`${dir()}-link/a`, "/etc/passwd", dir("deep", "c")]
      const diff = await ask((files) => files.changes("/", paths, 10_000))
      for (const text of ["+two a", "-gone"]) assert.include(diff, text)
      assert.deepStrictEqual(await ask((files) => files.repositories("/", paths)), [dir()])
    } finally {
      fs.rmSync(`${dir()}-link`)
    }
  })

  it("are complete if nothing is committed, and name files that are too long", async () => {
    fs.rmSync(dir(".git"), { recursive: true })
    git("init", "-q")
    git("add", "a")
    fs.writeFileSync(dir("b"), "x".repeat(100_000))
    const changesText = await changes(["a", "b"])
    assert.include(changesText, "new file a\none\n")
    assert.include(changesText, "new file b, which is too large or no text\n")
  })

  it("are not hidden by a repository that was planted below, whose filters do not run", async () => {
    fs.mkdirSync(dir("src"))
    fs.writeFileSync(dir("src", "c"), "one\n")
    git("add", ".")
    git("commit", "-qm", "src")
    for (const name of ["c", "new"]) fs.writeFileSync(dir("src", name), `two ${name}\n`)
    git("init", "-q", "src")
    git("-C", "src", "add", ".")
    git("-C", "src", "commit", "-qm", "hidden")
    git("-C", "src", "config", "filter.x.clean", `touch ${dir("ran")}; cat`)
    fs.writeFileSync(dir("src/.git/info/attributes"), "* filter=x\n")
    fs.utimesSync(dir("src", "c"), 0, 0)
    const text = await changes(["src/c", "src/new"])
    for (const shown of ["+two c", "new file src/new\ntwo new"]) assert.include(text, shown)
    assert.isFalse(fs.existsSync(dir("ran")))
    assert.deepStrictEqual(await ask((files) => files.repositories(dir(), ["src/c"])), [dir()])
    // From no repository the nearest one counts.
    assert.deepStrictEqual(await ask((files) => files.repositories("/", [dir("src", "c")])), [dir("src")])
  })

  it("are those of a linked worktree below, only if the repository says so too", async () => {
    git("worktree", "add", "-q", "wt")
    fs.writeFileSync(dir("wt", "a"), "two wt\n")
    const roots = () => ask((files) => files.repositories(dir(), ["wt/a"]))
    assert.deepStrictEqual(await roots(), [dir("wt")])
    assert.include(await changes(["wt/a"]), "+two wt")
    fs.mkdirSync(dir("fake"))
    fs.copyFileSync(dir("wt/.git"), dir("fake/.git"))
    fs.writeFileSync(dir("fake", "a"), "fake\n")
    assert.include(await changes(["fake/a"]), "new file fake/a\nfake\n")
    fs.writeFileSync(dir(".git/worktrees/wt/gitdir"), dir("elsewhere/.git\n"))
    assert.deepStrictEqual(await roots(), [dir()])
  })

  it.each(["HEAD has", "only the index has"])(
    "are not those of a linked worktree over a file that %s",
    async (what) => {
      fs.mkdirSync(dir("src"))
      fs.writeFileSync(dir("src", "c"), "one\n")
      git("add", ".")
      if (what === "HEAD has") git("commit", "-qm", "src")
      git("worktree", "add", "-q", "--no-checkout", "wt")
      fs.renameSync(dir("wt/.git"), dir("src/.git"))
      fs.writeFileSync(dir(".git/worktrees/wt/gitdir"), `${dir("src/.git")}\n`)
      if (what === "HEAD has") git("rm", "-rq", "--cached", "--sparse", "src/c")
      fs.writeFileSync(dir("src", "c"), "two\n")
      git("-C", "src", "add", ".")
      git("-C", "src", "commit", "-qm", "hidden")
      assert.deepStrictEqual(await ask((files) => files.repositories(dir(), ["src/c"])), [dir()])
      assert.include(await changes(["src/c"]), "two")
    }
  )

  it("are those of a submodule that HEAD names", async () => {
    const other = `${dir()}-other`
    git("init", "-q", other)
    try {
      fs.writeFileSync(join(other, "f"), "one\n")
      git("-C", other, "add", ".")
      git("-C", other, "commit", "-qm", "f")
      git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub")
      fs.writeFileSync(dir("sub", "f"), "two\n")
      const roots = () => ask((files) => files.repositories(dir(), ["sub/f"]))
      assert.deepStrictEqual(await roots(), [dir()])
      git("commit", "-qm", "sub")
      assert.deepStrictEqual(await roots(), [dir("sub")])
      assert.include(await changes(["sub/f"]), "-one\n+two")
    } finally {
      fs.rmSync(other, { recursive: true })
    }
  })

  it("contain no half of a secret where they are cut", async () => {
    fs.writeFileSync(dir("a"), `${"x\n".repeat(1000)}ghp_${"aB3dE5gH7j".repeat(4)}\n${"y\n".repeat(1000)}`)
    const at = (await changes(["a"])).indexOf("[redacted]")
    assert.isAbove(at, 3000)
    assert.notInclude(await changes(["a"], at + 14), "aB3dE5")
  })

  it("are bounded, and contain nothing from the target of a link", async () => {
    fs.writeFileSync(dir("a"), "x\n".repeat(10_000))
    assert.isAtMost((await changes(["a"], 500)).length, 500)
    fs.symlinkSync("/etc/passwd", dir("link"))
    assert.notInclude(await changes(["link"]), "root")
  })
})

describe("a plan", () => {
  const plan = (path: string | null, since = 0) => ask((files) => files.plan({ path, since }))
  const plans = () => dir(".claude", "plans")
  beforeEach(() => {
    fs.mkdirSync(join(plans(), "below.md"), { recursive: true })
    for (const [name, at] of [["old.md", 100], ["new.md", 200], ["newest.txt", 300], [".hidden.md", 400]] as const) {
      fs.writeFileSync(join(plans(), name), `plan ${name}`)
      fs.utimesSync(join(plans(), name), at, at)
    }
    fs.utimesSync(join(plans(), "below.md"), 1, 1)
    fs.writeFileSync(dir("secret.md"), "secret")
  })

  it("is the named file, or the newest file since then", async () => {
    assert.strictEqual(await plan(join(plans(), "old.md")), "plan old.md")
    assert.strictEqual(await plan(null), "plan new.md")
    assert.isNull(await plan(null, 201_000))
  })

  it("is never outside its folder, in a subfolder, or anything but a file", async () => {
    fs.symlinkSync(dir("secret.md"), join(plans(), "link.md"))
    for (const name of ["link.md", "../../secret.md", "below.md", "none.md"]) {
      assert.isNull(await plan(join(plans(), name)), name)
    }
    fs.rmSync(dir(".claude"), { recursive: true })
    assert.isNull(await plan(null))
  })

  it("is found if the folder itself is a link", async () => {
    fs.renameSync(plans(), dir("elsewhere"))
    fs.symlinkSync(dir("elsewhere"), plans())
    assert.strictEqual(await plan(null), "plan new.md")
  })
})

it("a transcript gives its end, or nothing if it cannot be read", async () => {
  const path = dir("t")
  fs.writeFileSync(path, `${"a".repeat(1000)}\nend`)
  const tail = (of: string, most: number) => ask((files) => files.transcript({ path: of }, most))
  // A line that is cut is dropped: its rest may be the end of a secret.
  assert.deepStrictEqual([await tail(path, 9), await tail(path, 2)], ["end", ""])
  assert.lengthOf(await tail(path, 2000), 1004)
  execFileSync("mkfifo", [dir("pipe")])
  for (const none of [dir("none"), dir("pipe"), dir(), ""]) assert.strictEqual(await tail(none, 5), "")
})

// Files of sysfs report a size that they do not have.
const shorter = "/sys/kernel/mm/transparent_hugepage/enabled"
it.skipIf(!fs.existsSync(shorter))(
  "a transcript that is shorter than its size ends where it ends",
  async () =>
    assert.strictEqual(
      await ask((files) => files.transcript({ path: shorter }, 5000)),
      fs.readFileSync(shorter, "utf8")
    )
)

it("a transcript whose last line is too long gives the end of that line, without its secrets", async () => {
  const path = dir("t")
  const key = `sk-proj-${"Ab1".repeat(20)}`
  const line = JSON.stringify({
    role: "assistant",
    text: `${"a word ".repeat(1000)}${key} ${"the last words ".repeat(10)}`
  })
  fs.writeFileSync(path, `{"role":"user"}\n${line}\n`)
  const end = await ask((files) => files.transcript({ path }, 1000))
  assert.match(end, /the last words "\}\s*$/)
  assert.isAtMost(end.length, 1000)
  // The places where the key begins or ends, every few bytes.
  for (let most = 100; most < 3000; most += most < 400 ? 7 : 101) {
    assert.notInclude(await ask((files) => files.transcript({ path }, most)), key.slice(-12))
  }
})
