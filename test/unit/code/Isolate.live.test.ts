// Isolate: what reviewers of a batch are to read is laid out, or one line says why it cannot be.
import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, truncateSync } from "node:fs"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { isolated } from "../../../src/code/Isolate.live.ts"
import { BranchName, Target } from "../../../src/run/Target.ts"
import type { ToIsolate } from "../../../src/code/Git.ts"
import { asked } from "./copies.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const runRef = () => ({ root: inHome("state"), repoId: "repo", targetKey: "uncommitted", runId: "run" })
const uncommitted: ToIsolate = { target: Target.make({ _tag: "Uncommitted" }), base: null, link: [], trust: null }
const base: ToIsolate = {
  ...uncommitted,
  target: Target.make({ _tag: "Base", branch: BranchName.make("main") }),
  base: BranchName.make("main")
}

describe("code is isolated", () => {
  it("again where the person's repository has lost an object that the first copy borrowed", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "new.txt"), "new\n")
    git(repo, "add", "new.txt")
    execFileSync("touch", ["-d", "1 hour ago", join(repo, "new.txt")])
    await run(isolated(repo, runRef(), uncommitted))
    git(repo, "reset", "-q", "new.txt")
    git(repo, "gc", "-q", "--prune=now")
    renameSync(join(repo, "new.txt"), join(repo, "moved.txt"))
    const { place } = await run(isolated(repo, runRef(), uncommitted))
    assert.strictEqual(readFileSync(join(place, "moved.txt"), "utf8"), "new\n")
    assert.strictEqual(asked(place, "reviewer", "status", "--porcelain"), "?? moved.txt\n")
  })

  it("of a large committed file that changed, which no string could hold", { tags: "slow" }, async () => {
    const repo = makeRepo()
    git(repo, "config", "core.bigFileThreshold", "1m")
    writeFileSync(join(repo, "large"), "")
    truncateSync(join(repo, "large"), 600 * 1000 ** 2)
    git(repo, "add", "large")
    git(repo, "commit", "-qm", "Large")
    appendFileSync(join(repo, "large"), "x")
    const { place } = await run(isolated(repo, runRef(), uncommitted))
    assert.strictEqual(asked(place, "reviewer", "status", "--porcelain"), " M large\n")
  })
})

describe("code is not isolated", () => {
  const refusal = async (repo: string, what: ToIsolate = uncommitted): Promise<string> => {
    const { message } = await run(Effect.flip(isolated(repo, runRef(), what)))
    const directory = join(inHome("state"), "repo/uncommitted/runs/run/isolated")
    assert.deepStrictEqual(existsSync(directory) ? readdirSync(directory) : [], [])
    return message
  }

  it("where a partial clone lacks what the change replaces", async () => {
    const origin = makeRepo("origin")
    git(origin, "checkout", "-qb", "topic")
    writeFileSync(join(origin, "one.txt"), "topic\n")
    git(origin, "commit", "-qam", "Topic")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(inHome(), "clone", "-q", "--filter=blob:none", `file://${origin}`, "repo")
    const repo = inHome("repo")
    git(repo, "branch", "-q", "main", "origin/main")
    const name = git(repo, "rev-parse", "main").slice(0, 12)
    assert.strictEqual(
      await refusal(repo, base),
      `this repository lacks 1 object of commit ${name}, so the change cannot be shown ` +
        `[in a partial clone, git diff ${name} fetches them]`
    )
    git(repo, "diff", name)
    await run(isolated(repo, runRef(), base))
  })
})
