// PlainFiles.live: a file in a directory and in commits, and everything that is no plain file.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/code/PlainFiles.live.ts"
import { type PlainFileFrom, PlainFiles } from "../../../src/code/PlainFiles.ts"
import { BranchName } from "../../../src/run/Target.ts"
import { codeDirectory } from "../../../src/run/Layout.live.ts"
import { eachInHome, git, makeRepo, run } from "../../support/repositories.ts"
import { aRun, take } from "../../support/snapshots.ts"

eachInHome()

const name = "kept/file.toml"
const here: PlainFileFrom = { _tag: "Worktree" }
const reading = (top: string, from: PlainFileFrom) =>
  Effect.provide(PlainFiles.use((port) => port.read(top, name, from)), layer)
const read = (top: string, from: PlainFileFrom) => run(reading(top, from))
const why = (top: string, from: PlainFileFrom) => run(Effect.flip(reading(top, from))).then(({ reason }) => reason._tag)

const made = (): string => {
  const top = makeRepo()
  mkdirSync(join(top, "kept"))
  return top
}

describe("a plain file", () => {
  it("is empty where it is not there", async () => {
    assert.strictEqual(await read(makeRepo(), here), "")
    assert.strictEqual(await read("/nowhere/at/all", here), "")
  })

  it("is refused in a worktree where git ignores it, unless it is tracked; the user's own is read", async () => {
    const top = made()
    writeFileSync(join(top, name), "one\n")
    assert.strictEqual(await read(top, here), "one\n")
    for (const [file, pattern] of [[".git/info/exclude", "kept/"], [".gitignore", "*.toml\n.gitignore"]] as const) {
      writeFileSync(join(top, file), pattern)
      assert.strictEqual(await why(top, here), "Ignored")
      writeFileSync(join(top, file), "")
    }
    writeFileSync(join(top, ".gitignore"), "*\n")
    assert.strictEqual(await why(top, here), "Ignored")
    assert.strictEqual(await read(top, { _tag: "Directory" }), "one\n")
    git(top, "add", "--force", name)
    assert.strictEqual(await read(top, here), "one\n")
  })

  it("of a run's first batch that its private repository has lost says so, and what to do", async () => {
    const top = made()
    await take(top)
    mkdirSync(join(codeDirectory(aRun()), "refs/ooda"))
    writeFileSync(join(codeDirectory(aRun()), "refs/ooda/first"), `${"1".repeat(40)}\n`)
    const { message } = await run(Effect.flip(reading(top, { _tag: "First", run: aRun() })))
    assert.include(message, `the run's private repository ${codeDirectory(aRun())} lacks the code`)
    assert.include(message, "[call with --fresh]")
  })

  it("is read from the directory, from a branch and from a commit", async () => {
    const top = made()
    writeFileSync(join(top, name), "one\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "one")
    writeFileSync(join(top, name), "two\n")
    assert.strictEqual(await read(top, here), "two\n")
    assert.strictEqual(await read(top, { _tag: "Base", branch: BranchName.make("main") }), "one\n")
    assert.strictEqual(await read(top, { _tag: "Revision", revision: "HEAD" }), "one\n")
    assert.strictEqual(await read(top, { _tag: "Revision", revision: "HEAD~1" }), "")
    assert.strictEqual(await why(top, { _tag: "Revision", revision: "nothing" }), "NoCommit")
  })

  it("is not a link, pipe or directory, and is not read forever", async () => {
    const top = made()
    const path = join(top, name)
    symlinkSync("/etc/hostname", path)
    assert.strictEqual(await why(top, here), "NoPlainFile")
    git(top, "add", ".")
    git(top, "commit", "-qm", "link")
    assert.strictEqual(await why(top, { _tag: "Revision", revision: "HEAD" }), "NoPlainFile")
    rmSync(path)
    execFileSync("mkfifo", [path])
    assert.strictEqual(await why(top, here), "NoPlainFile")
    rmSync(path)
    mkdirSync(path)
    assert.strictEqual(await why(top, here), "NoPlainFile")
  })

  it("has at most 1 MiB", async () => {
    const top = made()
    writeFileSync(join(top, name), "x".repeat(1024 * 1024 + 1))
    assert.strictEqual(await why(top, here), "TooLarge")
    git(top, "add", ".")
    git(top, "commit", "-qm", "large")
    assert.strictEqual(await why(top, { _tag: "Revision", revision: "HEAD" }), "TooLarge")
  })
})

describe("a plain file that is made", () => {
  const create = (top: string, text: string) =>
    run(Effect.provide(PlainFiles.use((port) => port.create(top, name, text)), layer))
  const refusal = (top: string) =>
    run(Effect.flip(Effect.provide(PlainFiles.use((port) => port.create(top, name, "two\n")), layer)))
      .then(({ reason }) => reason._tag)

  it("has its directory, and is never replaced", async () => {
    const top = makeRepo()
    await create(top, "one\n")
    assert.strictEqual(await read(top, here), "one\n")
    assert.strictEqual(await refusal(top), "Exists")
    assert.strictEqual(readFileSync(join(top, name), "utf8"), "one\n")
  })

  it("is made through no link", async () => {
    const top = makeRepo()
    const elsewhere = join(top, "elsewhere")
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(top, "kept"))
    assert.strictEqual(await refusal(top), "NoPlainFile")
    assert.isFalse(existsSync(join(elsewhere, "file.toml")))
    rmSync(join(top, "kept"))
    mkdirSync(join(top, "kept"))
    symlinkSync(join(elsewhere, "missing"), join(top, name))
    assert.strictEqual(await refusal(top), "Exists")
    assert.isFalse(existsSync(join(elsewhere, "missing")))
  })
})
