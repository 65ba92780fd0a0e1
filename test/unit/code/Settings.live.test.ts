// Settings: what of a repository's own settings comes along into a private one, and what never does.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { copySettings } from "../../../src/code/FrozenCopy.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const copied = async (repo: string): Promise<string> => {
  const into = inHome("private")
  mkdirSync(into)
  git(into, "init", "-q")
  await run(copySettings(repo, into))
  return into
}
const settingsOf = (repo: string) => git(repo, "config", "--local", "--list").split("\n")

describe("settings", () => {
  it("that say how files look come along, whatever stands in their values", async () => {
    const repo = makeRepo()
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "config", "filter.odd name.clean", "sed 's/\"a\\b\"/c/' # not a comment")
    const settings = settingsOf(await copied(repo))
    assert.include(settings, "core.autocrlf=true")
    assert.include(settings, "filter.odd name.clean=sed 's/\"a\\b\"/c/' # not a comment")
  })

  it("that run a program or lead elsewhere stay behind", async () => {
    const repo = makeRepo()
    for (const key of ["core.fsmonitor", "core.hooksPath", "include.path", "branch.main.remote", "submodule.lib.url"]) {
      git(repo, "config", key, "elsewhere")
    }
    assert.notInclude(settingsOf(await copied(repo)).join("\n"), "elsewhere")
  })

  it("in files of their own come along where they are there", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, ".git/info"), { recursive: true })
    writeFileSync(join(repo, ".git/info/exclude"), "*.log\n")
    const into = await copied(repo)
    assert.strictEqual(readFileSync(join(into, ".git/info/exclude"), "utf8"), "*.log\n")
    assert.isFalse(existsSync(join(into, ".git/MERGE_HEAD")))
  })

  it("of no repository are why not", async () =>
    assert.match(await run(Effect.flip(copySettings(inHome(), inHome("private")))), /not a git repository/))
})
