// View: a file of settings that has none disturbs a review as well, where it has one for a time.
// @module-tag slow
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "vitest"
import { identityOf } from "../../../src/code/Identity.live.ts"
import { sameInput, undisturbed } from "../../../src/run/Identity.ts"
import { Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const nothing = "# nothing\n"
const target = Target.make({ _tag: "Uncommitted" })

/** The files of settings of a repository in the home of a person, none of which has a setting. */
const files: Readonly<Record<string, (repo: string) => string>> = {
  "a person's": () => inHome(".gitconfig"),
  "a person's other one": () => inHome(".config/git/config"),
  "the worktree's": (repo) => join(repo, ".git/config.worktree"),
  "one that another includes, beside it": (repo) => join(repo, ".git/included"),
  "one that another includes, in the home": () => inHome("included"),
  "one that another includes at times": () => inHome("at times"),
  "one that the environment names": () => inHome("system")
}

/** A repository with these files. */
const repository = (): string => {
  vi.stubEnv("HOME", inHome())
  vi.stubEnv("XDG_CONFIG_HOME", undefined)
  vi.stubEnv("GIT_CONFIG_GLOBAL", undefined)
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", undefined)
  vi.stubEnv("GIT_CONFIG_SYSTEM", inHome("system"))
  mkdirSync(inHome(".config/git"), { recursive: true })
  const repo = makeRepo()
  for (const path of Object.values(files)) writeFileSync(path(repo), nothing)
  git(repo, "config", "extensions.worktreeConfig", "true")
  for (const path of ["included", "~/included"]) git(repo, "config", "--add", "include.path", path)
  git(repo, "config", "includeIf.onbranch:main.path", "~/at times")
  return repo
}

describe("a file of settings that has none", () => {
  it.each(Object.entries(files))("disturbs a review while it has one: %s", async (_, path) => {
    const repo = repository()
    const seen = () => run(identityOf(repo, target, null))
    const began = await seen()
    writeFileSync(path(repo), "[diff]\n\texternal = true\n")
    assert.strictEqual(sameInput(began, await seen()), "Different")
    writeFileSync(path(repo), nothing)
    const completed = await seen()
    assert.strictEqual(sameInput(began, completed), "Same")
    assert.isFalse(undisturbed(began, completed))
    assert.isTrue(undisturbed(completed, await seen()))
  })
})
