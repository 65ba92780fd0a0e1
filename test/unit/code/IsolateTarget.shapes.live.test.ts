// IsolateTarget: a private repository shows every target's reviewer the same, whatever shape the worktree has.
// @module-tag slow
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { identityOf } from "../../../src/code/Identity.live.ts"
import { isolateTarget } from "../../../src/code/FrozenCopy.live.ts"
import { type Identity, sameInput } from "../../../src/run/Identity.ts"
import type { BatchRef } from "../../../src/run/Refs.ts"
import { BranchName, CommitSha, PrNumber, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run, submodule } from "./repositories.ts"

eachInHome()

const main = BranchName.make("main")

/** A repository on a branch of its own, one commit ahead of main. */
const onTopic = (repo = makeRepo()): string => {
  git(repo, "checkout", "-qb", "topic")
  appendFileSync(join(repo, "one.txt"), "topic\n")
  git(repo, "commit", "-qam", "Topic")
  return repo
}

/** The same line changed on main, so that joining the two branches ends in a conflict. */
const conflicting = (): string => {
  const repo = onTopic()
  git(repo, "checkout", "-q", "main")
  appendFileSync(join(repo, "one.txt"), "main\n")
  git(repo, "commit", "-qam", "Main")
  git(repo, "checkout", "-q", "topic")
  return repo
}

const edited = (repo: string): string => {
  appendFileSync(join(repo, "one.txt"), "edited\n")
  return repo
}

const shapes: Readonly<Record<string, () => string>> = {
  "without changes": () => onTopic(),
  "staged and unstaged changes of one file": () => {
    const repo = edited(onTopic())
    git(repo, "add", ".")
    return edited(repo)
  },
  "untracked and ignored files": () => {
    const repo = onTopic()
    writeFileSync(join(repo, ".gitignore"), "*.log\n")
    for (const name of ["new.txt", "a.log"]) writeFileSync(join(repo, name), "x\n")
    return repo
  },
  "deleted and renamed files": () => {
    const repo = onTopic()
    rmSync(join(repo, "one.txt"))
    git(repo, "mv", "deep/two.txt", "three.txt")
    return repo
  },
  "binary and executable files and symbolic links": () => {
    const repo = onTopic()
    writeFileSync(join(repo, "binary"), Buffer.from([0, 255, 13, 10, 0]))
    chmodSync(join(repo, "one.txt"), 0o755)
    symlinkSync("nowhere", join(repo, "link"))
    git(repo, "add", "link")
    return repo
  },
  "an edited submodule": () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("lib"))
    appendFileSync(join(onTopic(repo), "lib/one.txt"), "edited\n")
    return repo
  },
  "a nested repository": () => {
    const repo = onTopic()
    mkdirSync(join(repo, "inner"))
    git(join(repo, "inner"), "init", "-q")
    writeFileSync(join(repo, "inner/file"), "x\n")
    return repo
  },
  "a nested repository beside a submodule": () => {
    const repo = makeRepo()
    submodule(repo, makeRepo("lib"))
    makeRepo("repo/inner")
    return onTopic(repo)
  },
  "a linked worktree": () => {
    git(makeRepo(), "worktree", "add", "-q", "-b", "topic", inHome("linked"))
    appendFileSync(inHome("linked", "one.txt"), "topic\n")
    git(inHome("linked"), "commit", "-qam", "Topic")
    return edited(inHome("linked"))
  },
  "a merge in progress": () => {
    const repo = conflicting()
    assert.throws(() => git(repo, "merge", "main"))
    return repo
  },
  "a rebase in progress": () => {
    const repo = conflicting()
    assert.throws(() => git(repo, "rebase", "main"))
    return repo
  },
  "a shallow clone": () => {
    const origin = makeRepo("origin")
    for (const message of ["Two", "Three"]) git(origin, "commit", "-q", "--allow-empty", "-m", message)
    git(inHome(), "clone", "-q", "--depth", "2", `file://${origin}`, "shallow")
    return edited(onTopic(inHome("shallow")))
  },
  "a sparse checkout": () => {
    const repo = onTopic()
    git(repo, "sparse-checkout", "set", "--cone", "elsewhere")
    return edited(repo)
  },
  "a tree without a file": () => {
    const repo = onTopic()
    git(repo, "rm", "-qr", ".")
    git(repo, "commit", "-qm", "Nothing")
    return repo
  }
}

/** What codex shows the model of a target: the difference, and what git says of the files. */
const shown = (repo: string, target: Target, from: string): ReadonlyArray<string> =>
  target._tag === "Commit"
    ? [git(repo, "show", target.sha)]
    : [git(repo, "diff", "--binary", from), git(repo, "status", "--porcelain", "--untracked-files=all")]

const targets: Readonly<Record<string, (repo: string) => readonly [Target, BranchName | null]>> = {
  uncommitted: () => [Target.make({ _tag: "Uncommitted" }), null],
  base: () => [Target.make({ _tag: "Base", branch: main }), null],
  pr: () => [Target.make({ _tag: "PullRequest", number: PrNumber.make(7) }), main],
  commit: (repo) => [Target.make({ _tag: "Commit", sha: CommitSha.make(git(repo, "rev-parse", "HEAD")) }), null]
}

describe.each(Object.keys(shapes))("%s", (shape) => {
  for (const name of Object.keys(targets)) {
    it(`is shown to the reviewers of ${name} as it is`, { tags: name === "base" ? [] : ["slow"] }, async () => {
      const repo = shapes[shape]?.() ?? assert.fail()
      const [target, base] = targets[name]?.(repo) ?? assert.fail()
      const batch: BatchRef = {
        run: {
          root: inHome("state"),
          repoId: "repo-noremote",
          targetKey: name,
          runId: "20260101T000000Z-000000001-p1"
        },
        level: "low",
        batch: 1
      }
      const { identity, place } = await run(isolateTarget(repo, batch, { target, base, link: [] }))
      assert.deepStrictEqual(identity, await run(identityOf(repo, target, base)))
      // The settings of the private repository are its own.
      const { view: _, ...input }: Identity = await run(identityOf(place, target, base))
      assert.strictEqual(sameInput(identity, input), "Same")
      const from = name === "base" || name === "pr" ? identity.mergeBase ?? assert.fail() : "HEAD"
      assert.deepStrictEqual(shown(place, target, from), shown(repo, target, from))
    })
  }
})
