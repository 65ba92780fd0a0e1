// IsolateTarget: the private repository of a batch stands in its place, and its identity is what a present one would be.
import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { identityOf } from "../../../src/code/Identity.live.ts"
import { isolateTarget } from "../../../src/code/FrozenCopy.live.ts"
import { privateRepository } from "../../../src/run/Layout.live.ts"
import { type Identity, sameInput, undisturbed } from "../../../src/run/Identity.ts"
import type { BatchRef } from "../../../src/run/Refs.ts"
import { BranchName, CommitSha, PrNumber, Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const batch = (): BatchRef => ({
  run: {
    root: inHome("state"),
    repoId: "repo-noremote",
    targetKey: "uncommitted",
    runId: "20260101T000000Z-000000001-p1"
  },
  level: "low",
  batch: 1
})

const main = BranchName.make("main")
const isolated = (repo: string, target: Target, base: BranchName | null = null) =>
  run(isolateTarget(repo, batch(), { target, base, link: [] }))

describe("the private repository of a batch", () => {
  it("has the identity that the worktree has, for every target", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    appendFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    appendFileSync(join(repo, "one.txt"), "edited\n")
    const targets: ReadonlyArray<readonly [Target, BranchName | null]> = [
      [Target.make({ _tag: "Uncommitted" }), null],
      [Target.make({ _tag: "Base", branch: main }), null],
      [Target.make({ _tag: "PullRequest", number: PrNumber.make(7) }), main],
      [Target.make({ _tag: "Commit", sha: CommitSha.make(git(repo, "rev-parse", "HEAD")) }), null]
    ]
    for (const [target, base] of targets) {
      const { identity, place } = await isolated(repo, target, base)
      assert.deepStrictEqual(identity, await run(identityOf(repo, target, base)), target._tag)
      // The settings of the private repository are its own.
      const { view: _, ...shown }: Identity = await run(identityOf(place, target, base))
      assert.strictEqual(sameInput(identity, shown), "Same", target._tag)
      assert.strictEqual(place, privateRepository(batch()))
    }
  })

  it("is disturbed by nothing but a change in it, also by one that is undone", async () => {
    const repo = makeRepo()
    appendFileSync(join(repo, "one.txt"), "edited\n")
    const target = Target.make({ _tag: "Uncommitted" })
    const { copy, place } = await isolated(repo, target)
    const rested = async () => undisturbed(copy, await run(identityOf(place, target, null)))
    for (const command of ["status", "diff"]) git(place, command)
    assert.isTrue(await rested())
    renameSync(join(place, "deep"), join(place, "away"))
    renameSync(join(place, "away"), join(place, "deep"))
    assert.isFalse(await rested())
  })

  it("takes the place of what a killed step left there", async () => {
    const repo = makeRepo()
    mkdirSync(join(privateRepository(batch()), ".git"), { recursive: true })
    writeFileSync(join(privateRepository(batch()), "left"), "x")
    const { place } = await isolated(repo, Target.make({ _tag: "Uncommitted" }))
    assert.isFalse(existsSync(join(place, "left")))
    assert.strictEqual(git(place, "status", "--porcelain"), "")
  })

  it("is made whatever repository the caller's variables name, and that one is left as it is", async () => {
    const [repo, other] = [makeRepo(), makeRepo("other")]
    appendFileSync(join(repo, "one.txt"), "edited\n")
    vi.stubEnv("GIT_DIR", join(repo, ".git"))
    vi.stubEnv("GIT_WORK_TREE", repo)
    const { place } = await isolated(repo, Target.make({ _tag: "Uncommitted" }))
    vi.stubEnv("GIT_DIR", undefined)
    vi.stubEnv("GIT_WORK_TREE", undefined)
    assert.strictEqual(git(place, "diff", "--name-only"), "one.txt")
    assert.strictEqual(git(place, "rev-parse", "--show-toplevel"), place)
    assert.strictEqual(git(other, "status", "--porcelain"), "")
    assert.throws(() => git(repo, "config", "core.hooksPath"))
  })

  it("says in one line why it could not be made", async () => {
    const error = await run(Effect.flip(isolateTarget(inHome(), batch(), {
      target: Target.make({ _tag: "Uncommitted" }),
      base: null,
      link: []
    })))
    assert.match(
      error.message,
      /^the code could not be isolated: .*not a git repository.* \[nothing was started; .*\]$/
    )
  })
})
