// Tracked: state roots in real repositories, with tracked files below them, beside them and in place of them.
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { trackedRoot } from "../../../src/platform/Tracked.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", args, {
    cwd,
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_NOSYSTEM: "1",
      HOME: dir(),
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org"
    },
    stdio: "pipe"
  })

beforeEach(() => {
  git(dir(), "init", "-q", "repo")
  mkdirSync(dir("repo/.ooda/state/app-noremote"), { recursive: true })
  writeFileSync(dir("repo/.ooda/state/app-noremote/latest"), "")
  mkdirSync(dir("repo/beside"))
})

const reason = (root: string, cwd = "repo", env: Variables = {}) =>
  Effect.runPromise(
    trackedRoot(dir(root), dir(cwd)).pipe(
      Effect.provideService(Environment, { PATH: process.env["PATH"], HOME: dir(), ...env })
    )
  )
const tag = async (...args: Parameters<typeof reason>) => (await reason(...args))?._tag ?? null

describe("a state root", () => {
  it("is refused with a tracked file anywhere below it, committed or only added, whether or not it is there", async () => {
    assert.isNull(await reason("repo/.ooda/state"))
    git(dir("repo"), "add", "--force", ".ooda")
    const found = { _tag: "RootTracked", file: ".ooda/state/app-noremote/latest" } as const
    for (const root of ["repo/.ooda/state", "repo/.ooda"]) assert.deepStrictEqual(await reason(root), found)
    rmSync(dir("repo/.ooda"), { recursive: true })
    assert.deepStrictEqual(await reason("repo/.ooda/state"), found)
    for (const root of ["repo/beside", "repo/.ooda/stat", "repo/*", "elsewhere"]) {
      assert.isNull(await reason(root), root)
    }
  })

  it("is refused where it is a tracked link", async () => {
    symlinkSync("..", dir("repo/beside/state"))
    git(dir("repo"), "add", "beside")
    assert.strictEqual(await tag("repo/beside/state"), "RootTracked")
  })

  it("is refused where a submodule brings it along", async () => {
    git(dir(), "init", "-q", "sub")
    writeFileSync(dir("sub/state"), "")
    git(dir("sub"), "add", ".")
    git(dir("sub"), "commit", "-qm", "One")
    git(dir("repo"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", dir("sub"), "lib")
    for (const root of ["repo/lib", "repo/lib/state"]) assert.strictEqual(await tag(root), "RootTracked", root)
    assert.isNull(await reason("repo/lib/other"))
  })

  it("is not judged by what a hook says of another repository", async () => {
    git(dir(), "init", "-q", "other")
    git(dir("repo"), "add", "--force", ".ooda")
    const env = { GIT_DIR: dir("other/.git"), GIT_INDEX_FILE: dir("none") }
    assert.strictEqual(await tag("repo/.ooda/state", "repo", env), "RootTracked")
  })
})

describe("if git cannot say", () => {
  it("a root in the worktree is refused", async () => {
    git(dir("repo"), "add", "--force", ".ooda")
    truncateSync(dir("repo/.git/index"), 20)
    assert.strictEqual(await tag("repo/.ooda/state"), "RootUntold")
  })

  it("a root elsewhere is not: anybody can make a broken repository in a shared directory", async () => {
    mkdirSync(dir(".git"))
    assert.isNull(await reason("state"))
    assert.isNull(await reason("state", "repo"))
  })
})
