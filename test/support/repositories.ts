// repositories: real repositories of odd kinds, made in a temporary home that no configuration of a person reaches.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, vi } from "vitest"
import { Environment } from "../../src/platform/Environment.ts"
import { madeOnce } from "./madeOnce.ts"

let home = ""

/** The temporary home of the present test. */
export const inHome = (...parts: ReadonlyArray<string>): string => join(home, ...parts)

/** Runs an effect with this process's environment, as it is stubbed by then. */
export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Environment, { ...process.env }))

/** Gives each test of the calling file a home of its own. */
export const eachInHome = (): void => {
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "ooda-test-git-")))
    vi.stubEnv("XDG_STATE_HOME", join(home, "user-state"))
    vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null")
    vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1")
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(home, { recursive: true, force: true })
  })
}

const author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
/** Runs git as a person with a name would. */
export const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...author, ...args], { cwd, encoding: "utf8" }).trim()

/** The file of a loose object, by a revision that names it. */
export const objectPath = (repo: string, revision: string): string => {
  const id = git(repo, "rev-parse", revision)
  return join(repo, ".git/objects", id.slice(0, 2), id.slice(2))
}

const copyRepo = madeOnce((directory) => {
  mkdirSync(join(directory, "deep"))
  git(directory, "init", "-q", "-b", "main")
  for (const file of ["one.txt", "deep/two.txt"]) writeFileSync(join(directory, file), `${file}\n`)
  git(directory, "add", ".")
  git(directory, "commit", "-qm", "One")
})

/** A repository with one commit, whose files are old enough for git to trust the times in its index. */
export const makeRepo = (name = "repo"): string => {
  const repo = inHome(name)
  copyRepo(repo)
  const hoursAgo = (hours: number, file: string) =>
    utimesSync(join(repo, file), Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600)
  for (const file of ["one.txt", "deep/two.txt"]) hoursAgo(2, file)
  git(repo, "update-index", "--refresh")
  hoursAgo(1, ".git/index")
  return repo
}

/** Adds a submodule at `lib`, and commits it. */
export const submodule = (repo: string, from: string): void => {
  git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "lib")
  git(repo, "commit", "-qm", "Lib")
}
