// The snapshots of a run: numbered, listed, compared, undone one at a time, and forgotten.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { layer } from "../../../src/code/Snapshots.live.ts"
import { readIntent, writeIntent } from "../../../src/code/SnapshotRestore.live.ts"
import { identityOf } from "../../../src/code/Identity.live.ts"
import { differs } from "../../../src/run/Identity.ts"
import { Target } from "../../../src/run/Target.ts"
import { Snapshots } from "../../../src/code/Snapshots.ts"
import { eachInHome, git, makeRepo, run } from "./repositories.ts"
import { aRun, asking, beforeAgent, photo, restore, take } from "./snapshots.ts"

eachInHome()

const failing = async (tried: Promise<unknown>): Promise<string> => {
  const error: unknown = await tried.then(() => null, (failed: unknown) => failed)
  return error instanceof Error ? error.message : "done"
}

it("snapshots are numbered and listed, each run for itself", async () => {
  const repo = makeRepo()
  await take(repo)
  writeFileSync(join(repo, "one.txt"), "edited")
  await take(repo)
  await take(repo, aRun(2))
  const list = await asking((snapshots) => snapshots.list(aRun(), repo))
  assert.deepStrictEqual(list.map(({ cause, number }) => [number, cause]), [[1, beforeAgent], [2, beforeAgent]])
  const runs = await asking((snapshots) => snapshots.snapshotted(repo))
  assert.deepStrictEqual(runs.map(({ run }) => run).sort((a, b) => a.runId < b.runId ? -1 : 1), [aRun(), aRun(2)])
  await asking((snapshots) => snapshots.forget(aRun(), repo))
  assert.match(await failing(restore(repo, 1)), /^run \S+ has no snapshots/)
  assert.lengthOf(await asking((snapshots) => snapshots.list(aRun(2), repo)), 1)
})

it("what is too large needs leave, and nothing is kept without it", async () => {
  const repo = makeRepo()
  mkdirSync(join(repo, "many"))
  for (let i = 0; i < 200; i++) writeFileSync(join(repo, "many", `${i}`), "x")
  assert.match(await failing(take(repo)), /^an undo could not put back many\/: 1 untracked path too large/)
  assert.strictEqual(git(repo, "for-each-ref", "refs/ooda"), "")
  assert.deepStrictEqual((await take(repo, aRun(), true)).leftOut, ["many/"])
})

it("names the parts of git that changed, in the repositories within too", async () => {
  const repo = makeRepo()
  const nested = join(repo, "nested")
  mkdirSync(nested)
  git(nested, "init", "-q")
  const snapshot = await take(repo)
  const changes = () => asking((snapshots) => snapshots.gitChanges(snapshot))
  writeFileSync(join(repo, "one.txt"), "edited")
  assert.deepStrictEqual(await changes(), [])
  git(repo, "add", "one.txt")
  git(nested, "config", "a.b", "c")
  const found = await changes()
  assert.deepStrictEqual(found, ["index", "configuration of nested"])
})

it("an undo that changes nothing leaves no snapshot, and one to nowhere says which is the last", async () => {
  const repo = makeRepo()
  await take(repo)
  const { removed, saved, written } = await restore(repo, 1)
  assert.deepStrictEqual([saved, written, removed], [null, 0, 0])
  assert.match(await failing(restore(repo, 7)), /^there is no snapshot 7; the last one is 1 /)
})

it("what was cut off is finished before anything else, once, and never where its snapshot is gone", async () => {
  const repo = makeRepo()
  const before = photo(repo)
  const { commit } = await take(repo)
  writeFileSync(join(repo, "one.txt"), "edited")
  await run(writeIntent(aRun(), { to: 1, saved: commit }))
  await take(repo)
  assert.deepStrictEqual(photo(repo), before)
  const finish = () => asking((snapshots) => snapshots.finish(aRun(), repo))
  assert.isNull(await finish())
  await run(writeIntent(aRun(), { to: 9, saved: commit }))
  assert.isTrue(await asking((snapshots) => snapshots.unfinished(aRun())))
  assert.match(await failing(finish()), /^there is no snapshot 9/)
  assert.isNull(await run(readIntent(aRun())))
})

it("of two undos at once each is whole", async () => {
  const repo = makeRepo()
  const before = photo(repo)
  await take(repo)
  writeFileSync(join(repo, "one.txt"), "edited")
  rmSync(join(repo, "deep"), { recursive: true })
  const both = Snapshots.use((snapshots) =>
    Effect.all([snapshots.restore(aRun(), repo, 1), snapshots.restore(aRun(), repo, 1)], { concurrency: 2 })
  )
  const done = await run(Effect.provide(both, layer))
  assert.deepStrictEqual(done.map(({ written }) => written).sort(), [0, 2])
  assert.deepStrictEqual(photo(repo), before)
})

it("a snapshot changes nothing of what a strict review identifies, and an undo gives back the code alone", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, "new"), "x")
  const identity = () => run(identityOf(repo, Target.make({ _tag: "Uncommitted" }), null))
  const before = await identity()
  await take(repo)
  assert.deepStrictEqual(await identity(), before)
  rmSync(join(repo, "new"))
  await restore(repo, 1)
  const after = await identity()
  assert.isFalse(differs(before, after))
  await asking((snapshots) => snapshots.forget(aRun(), repo))
  assert.deepStrictEqual(await identity(), after)
})

it("outside a repository it says so in one line", async () => {
  assert.match(await failing(take("/nowhere/at/all")), /^there is no directory \/nowhere\/at\/all$/)
})
