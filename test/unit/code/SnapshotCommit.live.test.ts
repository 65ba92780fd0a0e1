// A snapshot is a commit on HEAD that refs of ours keep, in every repository of the worktree, until it is forgotten.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { forgetRefs, prepare, publish, readCommits, snapshotsBelow } from "../../../src/code/SnapshotTree.live.ts"
import { eachInHome, git, makeRepo, run } from "./repositories.ts"
import { aRun, beforeAgent } from "./snapshots.ts"

eachInHome()

const made = (repo: string, number = 1) => {
  const purpose = { run: aRun(), number, at: "2026-01-01T00:00:00.000Z", cause: beforeAgent }
  return run(
    Effect.scoped(Effect.tap(prepare(repo, purpose, () => Effect.succeed([])), (prepared) => publish(prepared)))
  )
}

it("is a commit on HEAD with its facts, kept in the repositories within too, until it is forgotten", async () => {
  const repo = makeRepo()
  const nested = join(repo, "nested")
  mkdirSync(nested)
  git(nested, "init", "-q")
  writeFileSync(join(nested, "file"), "x\n")
  const { snapshot } = await made(repo)
  await made(repo, 2)
  await made(repo, 10)
  assert.strictEqual(git(repo, "rev-parse", `${snapshot.commit}^`), git(repo, "rev-parse", "HEAD"))
  assert.include(git(repo, "log", "-1", "--format=%s %an", snapshot.commit), "before agent 1 ooda-codex-review")
  const found = await run(snapshotsBelow(repo, aRun().runId))
  assert.deepStrictEqual(found.map(({ number }) => number), [1, 2, 10])
  assert.deepStrictEqual(found[0], snapshot)
  assert.strictEqual(snapshot.repositories[0]?.commit, git(nested, "rev-parse", `refs/ooda/${aRun().runId}/1`))
  assert.lengthOf(await run(snapshotsBelow(repo, null)), 3)
  assert.lengthOf(await run(snapshotsBelow(repo, aRun(2).runId)), 0)
  await run(forgetRefs(repo, aRun().runId))
  assert.deepStrictEqual([git(repo, "for-each-ref", "refs/ooda"), git(nested, "for-each-ref")], ["", ""])
})

it("never replaces another one", async () => {
  const repo = makeRepo()
  const { snapshot } = await made(repo)
  writeFileSync(join(repo, "new"), "x")
  let why: unknown = null
  await made(repo).catch((error: unknown) => {
    why = error
  })
  assert.isNotNull(why)
  assert.strictEqual(git(repo, "rev-parse", `refs/ooda/${aRun().runId}/1`), snapshot.commit)
})

it("is not what any other commit is", async () => {
  const repo = makeRepo()
  assert.deepStrictEqual(await run(readCommits(repo, [git(repo, "rev-parse", "HEAD"), "0".repeat(40)])), [])
})
