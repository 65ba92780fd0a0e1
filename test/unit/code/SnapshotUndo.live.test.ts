// An undo that was cut off is finished, and what was there by then can be had again.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { putBack, writeIntent } from "../../../src/code/SnapshotRestore.live.ts"
import { eachInHome, makeRepo, run } from "./repositories.ts"
import { aRun, asking, photo, restore, take } from "./snapshots.ts"

eachInHome()

it("an undo that was cut off is finished with its directories, and edits made meanwhile are kept", async () => {
  const repo = makeRepo()
  const before = photo(repo)
  const to = await take(repo)
  mkdirSync(join(repo, "new"))
  writeFileSync(join(repo, "new/file"), "x")
  writeFileSync(join(repo, "one.txt"), "edited")
  const saved = await take(repo)
  await run(writeIntent(aRun(), { to: 1, saved: saved.commit }))
  rmSync(join(repo, "new/file"))
  writeFileSync(join(repo, "deep/two.txt"), "edited after the cut")
  const cut = photo(repo)
  const purpose = { run: to.run, number: 3, at: to.at, cause: { _tag: "BeforeUndo", to: 1 } } as const
  const undone = await run(
    Effect.scoped(putBack(aRun(), repo, to, purpose, { intent: { to: 1, saved: saved.commit }, saved }))
  )
  assert.deepStrictEqual(photo(repo), before)
  assert.isFalse(existsSync(join(repo, "new")))
  assert.deepStrictEqual([undone.saved?.number, undone.written, undone.removed], [3, 2, 0])
  assert.isFalse(await asking((snapshots) => snapshots.unfinished(aRun())))
  await restore(repo, 3)
  const { "new/": _, ...files } = cut
  assert.deepStrictEqual(photo(repo), files)
})
