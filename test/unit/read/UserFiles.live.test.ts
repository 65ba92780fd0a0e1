// UserFiles.live: files that the user names to read or to write, on a real disk: regular files only, whole or not at all.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { inFilesLayer, outFilesLayer } from "../../../src/read/UserFiles.live.ts"
import { InFiles, OutFiles } from "../../../src/read/UserFiles.ts"
import { eachInDirectory } from "../../support/directories.ts"

const inDir = eachInDirectory()

const read = async (name: string) => {
  const done = await Effect.runPromise(
    Effect.result(Effect.provide(InFiles.use((f) => f.read(inDir(), name, 4)), inFilesLayer))
  )
  return Result.isSuccess(done) ? done.success : done.failure.reason._tag
}

describe("a file to be read", () => {
  it("is read by its relative name, by its absolute name, and through a link", async () => {
    fs.writeFileSync(inDir("a"), "four")
    fs.symlinkSync("a", inDir("link"))
    assert.deepStrictEqual([await read("a"), await read(inDir("a")), await read("link")], [
      "four",
      "four",
      "four"
    ])
  })

  it("is refused if it is too large, not a regular file, or missing", async () => {
    fs.writeFileSync(inDir("large"), "fives")
    execFileSync("mkfifo", [inDir("pipe")])
    assert.deepStrictEqual(
      [await read("large"), await read("."), await read("pipe"), await read("/dev/zero"), await read("none")],
      ["TooLarge", "NoPlainFile", "NoPlainFile", "NoPlainFile", "SystemRefused"]
    )
  })

  it("that is missing is reported without the system's own words", async () => {
    const reading = Effect.provide(InFiles.use((files) => files.read(inDir(), "none", 4)), inFilesLayer)
    const { message } = await Effect.runPromise(Effect.flip(reading))
    assert.strictEqual(message, `${inDir("none")}: no such file [name another file]`)
  })
})

const dir = eachInDirectory()

const write = async (path: string, text = "new") => {
  const written = OutFiles.use((files) => files.write(dir(), path, text))
  const done = await Effect.runPromise(Effect.result(Effect.provide(written, outFilesLayer)))
  return Result.isSuccess(done) ? "written" : done.failure.reason._tag
}
const at = (...names: ReadonlyArray<string>) => dir(...names)
const mode = (path: string) => fs.statSync(path).mode & 0o777

describe("a file to be written", () => {
  it("is private to its user, and leaves nothing beside it", async () => {
    assert.strictEqual(await write("r.html"), "written")
    assert.deepStrictEqual([fs.readFileSync(at("r.html"), "utf8"), mode(at("r.html"))], ["new", 0o600])
    assert.deepStrictEqual(fs.readdirSync(dir()), ["r.html"])
  })

  it("is replaced; its mode and the link to it stay", async () => {
    fs.mkdirSync(at("real"))
    fs.writeFileSync(at("real", "r.html"), "old")
    fs.chmodSync(at("real", "r.html"), 0o644)
    fs.symlinkSync(at("real", "r.html"), at("link.html"))
    assert.strictEqual(await write("link.html"), "written")
    assert.isTrue(fs.lstatSync(at("link.html")).isSymbolicLink())
    assert.deepStrictEqual([fs.readFileSync(at("real", "r.html"), "utf8"), mode(at("real", "r.html"))], ["new", 0o644])
  })

  it("is named relative to the caller's directory, or absolutely", async () => {
    fs.mkdirSync(at("in"))
    assert.strictEqual(await write("in/../in/r.html"), "written")
    assert.strictEqual(await write(at("s.html")), "written")
    assert.deepStrictEqual([fs.existsSync(at("in", "r.html")), fs.existsSync(at("s.html"))], [true, true])
  })
})

describe("nothing is written", () => {
  it("over a directory, a device, or a dangling link", async () => {
    fs.mkdirSync(at("folder"))
    fs.symlinkSync("/dev/null", at("device"))
    fs.symlinkSync(at("nowhere"), at("dangling"))
    assert.deepStrictEqual([await write("folder"), await write("device"), await write("dangling")], [
      "IsDirectory",
      "NoPlainFile",
      "NoPlainFile"
    ])
    assert.deepStrictEqual(fs.readdirSync(dir()).sort(), ["dangling", "device", "folder"])
  })

  it("into a directory that is missing, or is a file", async () => {
    fs.writeFileSync(at("file"), "old")
    assert.deepStrictEqual([await write("none/r.html"), await write("file/r.html")], ["NoDirectory", "SystemRefused"])
    assert.deepStrictEqual(fs.readdirSync(dir()), ["file"])
  })

  it("into a git directory, by whatever name and through whatever link", async () => {
    execFileSync("git", ["init", "-q", "--separate-git-dir", at("store"), at("work")])
    execFileSync("git", ["init", "-q", at("repo")])
    fs.symlinkSync(at("repo", ".git"), at("link"))
    fs.symlinkSync(at("repo", ".git", "HEAD"), at("head"))
    const places = ["repo/.git/HEAD", "repo/.git/hooks/x", "link/new", "head", "store/config", "work/.git"]
    assert.deepStrictEqual(await Promise.all(places.map((place) => write(place))), places.map(() => "IsGit"))
    assert.strictEqual(fs.readFileSync(at("repo", ".git", "HEAD"), "utf8").slice(0, 5), "ref: ")
  })
})
