// What an undo tells, for people and for programs.
import { assert, it } from "vitest"
import { snapshotsJson, snapshotsText, undoneJson, undoneText } from "../../../src/drive/Undo.ts"
import { runName } from "../../../src/run/Document.ts"
import type { Snapshot, SnapshotCause } from "../../../src/code/Snapshots.ts"
import { runRef } from "../run/events.ts"

const snapshot = (number: number, cause: SnapshotCause, leftOut: ReadonlyArray<string> = []): Snapshot => ({
  schema: 1,
  run: runRef(),
  number,
  at: "2026-01-01T00:00:00.000Z",
  worktree: "/repo",
  cause,
  leftOut,
  repositories: [],
  git: [],
  commit: `c${number}`
})

const one = snapshot(1, { _tag: "BeforeAgent", agent: 1 }, ["big\n", "many/"])
const two = snapshot(2, { _tag: "BeforeUndo", to: 1 })

it("snapshots are listed a line each", () => {
  assert.strictEqual(
    snapshotsText(runRef(), [one, two]),
    "1  2026-01-01T00:00:00.000Z  before agent 1, without big\\n, many/\n" +
      "2  2026-01-01T00:00:00.000Z  before the undo to 1\n"
  )
  assert.strictEqual(snapshotsText(runRef(), []), `run ${runRef().runId} has no snapshots\n`)
  const { run, schema, snapshots } = JSON.parse(snapshotsJson(runRef(), [one, two]))
  assert.deepStrictEqual([run, schema], [runName(runRef()), 1])
  const { at } = one
  assert.deepStrictEqual(snapshots, [
    { number: 1, at, cause: "BeforeAgent", agent: 1, commit: "c1", leftOut: ["big\\n", "many/"] },
    { number: 2, at, cause: "BeforeUndo", to: 1, commit: "c2", leftOut: [] }
  ])
})

it("an undo says what it did, how to get back, and what it left", () => {
  assert.strictEqual(
    undoneText({ to: one, saved: two, written: 1, removed: 3, left: [] }),
    "back at snapshot 1 (2026-01-01T00:00:00.000Z, before agent 1): 1 file written, 3 removed " +
      "[undo --to 2 brings back what was there]\n"
  )
  assert.strictEqual(
    undoneText({ to: one, saved: null, written: 0, removed: 0, left: ["lib"] }),
    "nothing to undo: the files are those of snapshot 1 (2026-01-01T00:00:00.000Z, before agent 1)\n" +
      "left as they are, because no snapshot holds them: lib\n"
  )
  const { left, removed, saved, to, written } = JSON.parse(
    undoneJson({ to: one, saved: two, written: 1, removed: 3, left: ["lib"] })
  )
  assert.deepStrictEqual([to.number, saved.number, written, removed, left], [1, 2, 1, 3, ["lib"]])
  assert.isNull(JSON.parse(undoneJson({ to: one, saved: null, written: 0, removed: 0, left: [] })).saved)
})
