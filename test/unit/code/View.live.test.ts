// View: every way by which git can be told not to show code, set while it is reviewed and unset afterwards.
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { identityOf } from "../../../src/code/Identity.live.ts"
import { viewOfCommit } from "../../../src/code/View.live.ts"
import { type Identity, sameInput, undisturbed } from "../../../src/run/Identity.ts"
import { BranchName, CommitSha, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const uncommitted = Target.make({ _tag: "Uncommitted" })
const seen = (repo: string, target: Target = uncommitted): Promise<Identity> => run(identityOf(repo, target, null))

/** A way to hide code: how it is set, and how it is unset. */
interface Way {
  readonly set: (repo: string) => void
  readonly unset: (repo: string) => void
}

const setting = (name: string, value: string): Way => ({
  set: (repo) => git(repo, "config", name, value),
  unset: (repo) => git(repo, "config", "--unset", name)
})
const file = (path: (repo: string) => string, text: string): Way => ({
  set: (repo) => {
    mkdirSync(join(path(repo), ".."), { recursive: true })
    writeFileSync(path(repo), text)
  },
  unset: (repo) => rmSync(path(repo))
})
const variable = (name: string, value: string): Way => ({
  set: () => vi.stubEnv(name, value),
  unset: () => vi.stubEnv(name, undefined)
})
const both = (one: Way, other: Way): Way => ({
  set: (repo) => [one, other].forEach(({ set }) => set(repo)),
  unset: (repo) => [one, other].forEach(({ unset }) => unset(repo))
})
const inWorktree = (name: string) => (repo: string) => join(repo, name)
const attributes = "*.txt -diff\n"

/** What changes what a reviewer is shown. */
const ways: Readonly<Record<string, Way>> = {
  "status.showUntrackedFiles": setting("status.showUntrackedFiles", "no"),
  "diff.external": setting("diff.external", "true"),
  "diff.ignoreSubmodules": setting("diff.ignoreSubmodules", "all"),
  "core.autocrlf": setting("core.autocrlf", "input"),
  "core.fsmonitor": setting("core.fsmonitor", "/bin/true"),
  "a filter": setting("filter.hide.clean", "cat"),
  "a driver of differences": setting("diff.hide.textconv", "true"),
  "an included file of settings": both(
    file(() => inHome("included"), "[diff]\n\texternal = true\n"),
    setting("includeIf.onbranch:topic.path", "~/included")
  ),
  "info/attributes": file(inWorktree(".git/info/attributes"), attributes),
  "core.attributesFile": both(
    file(() => inHome("attributes"), attributes),
    setting("core.attributesFile", "~/attributes")
  ),
  "a replaced object": {
    set: (repo) =>
      git(repo, "replace", git(repo, "rev-parse", "HEAD:one.txt"), git(repo, "rev-parse", "HEAD:deep/two.txt")),
    unset: (repo) => git(repo, "replace", "-d", git(repo, "rev-parse", "HEAD:one.txt"))
  },
  "a graft": file(inWorktree(".git/info/grafts"), "\n")
}

/** The same, of what leaves no mark when it is gone: a file that is there for a time, and what a process inherits. */
const unmarked: Readonly<Record<string, Way>> = {
  "the attributes of a person": file(() => inHome(".config/git/attributes"), attributes),
  "an ignored file of attributes": both(
    file(inWorktree(".git/info/exclude"), ".gitattributes\n"),
    file(inWorktree("deep/.gitattributes"), attributes)
  ),
  "GIT_EXTERNAL_DIFF": variable("GIT_EXTERNAL_DIFF", "true"),
  "settings in the environment": both(
    both(variable("GIT_CONFIG_COUNT", "1"), variable("GIT_CONFIG_KEY_0", "diff.external")),
    variable("GIT_CONFIG_VALUE_0", "true")
  )
}

/** What matters to a reviewer while it is set alone: afterwards the files, the index or the base tell. */
const passing: Readonly<Record<string, Way>> = {
  "info/exclude": {
    set: (repo) => writeFileSync(join(repo, ".git/info/exclude"), "*\n"),
    unset: (repo) => writeFileSync(join(repo, ".git/info/exclude"), "")
  },
  "core.excludesFile": {
    set: () => writeFileSync(inHome(".config/git/ignore"), "*\n"),
    unset: () => writeFileSync(inHome(".config/git/ignore"), "")
  },
  "a file behind a link": {
    set: () => writeFileSync(inHome("settings"), "[diff]\n\texternal = true\n"),
    unset: () => writeFileSync(inHome("settings"), "[user]\n\tname = A\n")
  },
  "an upstream of the base branch": {
    set: (repo) => git(repo, "branch", "-q", "--set-upstream-to=origin/main", "main"),
    unset: (repo) => git(repo, "branch", "-q", "--unset-upstream", "main")
  },
  "staged content": { set: (repo) => git(repo, "add", "one.txt"), unset: (repo) => git(repo, "reset", "-q") },
  ...Object.fromEntries(["assume-unchanged", "skip-worktree"].map((flag) => [`the flag ${flag}`, {
    set: (repo: string) => git(repo, "update-index", `--${flag}`, "one.txt"),
    unset: (repo: string) => git(repo, "update-index", `--no-${flag}`, "one.txt")
  }]))
}

/** A branch with a change to review, in the home of a person without settings of note. */
const changed = (): string => {
  vi.stubEnv("HOME", inHome())
  vi.stubEnv("XDG_CONFIG_HOME", undefined)
  const repo = makeRepo()
  mkdirSync(inHome(".config/git"), { recursive: true })
  writeFileSync(inHome(".config/git/ignore"), "")
  passing["a file behind a link"]?.unset(repo)
  symlinkSync(inHome("settings"), inHome("linked"))
  git(repo, "config", "include.path", inHome("linked"))
  git(repo, "update-ref", "refs/remotes/origin/main", "HEAD")
  git(repo, "config", "remote.origin.url", "https://example.org/o.git")
  git(repo, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
  git(repo, "checkout", "-qb", "topic")
  appendFileSync(join(repo, "one.txt"), "changed\n")
  return repo
}

const againstMain = Target.make({ _tag: "Base", branch: BranchName.make("main") })

/** Sets and unsets each way in turn, and shows what was there before, meanwhile and afterwards. */
const tried = async (
  all: Readonly<Record<string, Way>>,
  show: (name: string, before: Identity, meanwhile: Identity, after: Identity) => void
): Promise<void> => {
  const repo = changed()
  let before = await seen(repo, againstMain)
  for (const [name, { set, unset }] of Object.entries(all)) {
    set(repo)
    const meanwhile = await seen(repo, againstMain)
    assert.strictEqual(meanwhile._tag, "Known", name)
    unset(repo)
    const after = await seen(repo, againstMain)
    show(name, before, meanwhile, after)
    before = after
  }
}

describe("what changes how code is shown", () => {
  it("makes another input of it, and disturbs a review, also where it was undone", () =>
    tried(ways, (name, before, meanwhile, after) => {
      assert.strictEqual(sameInput(meanwhile, after), "Different", name)
      assert.strictEqual(sameInput(before, after), "Same", name)
      assert.isFalse(undisturbed(before, after), name)
    }))

  it("makes another input of it where it leaves no mark", () =>
    tried(unmarked, (name, _, meanwhile, after) => {
      assert.strictEqual(sameInput(meanwhile, after), "Different", name)
    }))

  it("disturbs a review where nothing but the time of it counts", () =>
    tried(passing, (name, before, _, after) => {
      assert.strictEqual(sameInput(before, after), "Same", name)
      assert.isFalse(undisturbed(before, after), name)
    }))

  it("counts for one commit too, whose files need not be in the worktree", async () => {
    const repo = changed()
    const commit = Target.make({ _tag: "Commit", sha: CommitSha.make(git(repo, "rev-parse", "HEAD")) })
    git(repo, "rm", "-qrf", ".")
    for (const way of [ways["info/attributes"], unmarked["an ignored file of attributes"]]) {
      way?.set(repo)
      const reviewed = await seen(repo, commit)
      way?.unset(repo)
      assert.strictEqual(sameInput(reviewed, await seen(repo, commit)), "Different")
    }
  })

  it("counts in a submodule too", async () => {
    const repo = changed()
    submodule(repo, makeRepo("other"))
    git(join(repo, "lib"), "config", "diff.external", "true")
    const reviewed = await seen(repo)
    git(join(repo, "lib"), "config", "--unset", "diff.external")
    assert.strictEqual(sameInput(reviewed, await seen(repo)), "Different")
  })

  it("is not what says where code comes from and who writes it, nor what reads code", async () => {
    const repo = changed()
    const began = await seen(repo)
    for (const args of [["diff"], ["status"], ["log"]]) git(repo, "--no-optional-locks", ...args)
    assert.isTrue(undisturbed(began, await seen(repo)))
    for (const name of ["branch.main.description", "remote.origin.url", "user.name", "gc.auto"]) {
      git(repo, "config", name, "1")
    }
    assert.strictEqual(sameInput(began, await seen(repo)), "Same")
  })

  it("cannot be told where there is no repository", async () => {
    mkdirSync(inHome("none"))
    assert.match(await run(Effect.flip(viewOfCommit(inHome("none"), "HEAD"))), /not a git repository/)
  })
})
