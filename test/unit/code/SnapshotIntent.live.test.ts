// The note of an undo under way: there once it is written, gone once it is removed, and nothing where it says nothing.
import { writeFileSync } from "node:fs"
import { assert, it } from "vitest"
import { readIntent, removeIntent, writeIntent } from "../../../src/code/SnapshotRestore.live.ts"
import { undoFile } from "../../../src/run/Layout.live.ts"
import { eachInHome, run } from "./repositories.ts"
import { aRun } from "./snapshots.ts"

eachInHome()

it("is read as it was written", async () => {
  const ref = aRun()
  assert.isNull(await run(readIntent(ref)))
  await run(writeIntent(ref, { to: 2, saved: "abc" }))
  assert.deepStrictEqual(await run(readIntent(ref)), { to: 2, saved: "abc" })
  await run(removeIntent(ref))
  await run(removeIntent(ref))
  assert.isNull(await run(readIntent(ref)))
  writeFileSync(undoFile(ref), "{}")
  assert.isNull(await run(readIntent(ref)))
})
