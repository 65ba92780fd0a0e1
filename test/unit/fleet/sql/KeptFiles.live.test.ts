// KeptFiles: a file is named by its path in the run. Without a database none is kept; test/fleet keeps them for real.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { keptFiles, pathIn } from "../../../../src/fleet/sql/KeptFiles.live.ts"
import { historyFile, keptFile } from "../../../../src/run/Layout.live.ts"
import { runRef } from "../../run/events.ts"
import { nowhere } from "./nowhere.ts"

it("a file has the path that it has in its run's directory", () => {
  assert.strictEqual(pathIn(runRef(), historyFile(runRef())), "history.md")
  assert.strictEqual(pathIn(runRef(), keptFile(runRef(), "texts/a.txt")), "texts/a.txt")
})

it("nothing is kept without a database", async () => {
  const kept = Effect.flatMap(keptFiles, (files) => files.keep(runRef(), "a", Buffer.from("")))
  const error = await Effect.runPromise(Effect.flip(Effect.provide(kept, nowhere)))
  assert.notMatch(error.message, /annabel|s3cret/)
})
