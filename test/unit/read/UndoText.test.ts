// What an undo says, for people and for programs.
import { assert, describe, it } from "vitest"
import {
  previewText,
  undoableJson,
  undoableText,
  undoneJson,
  type UndoneRun,
  undoneText
} from "../../../src/read/Undo.ts"
import { runName } from "../../../src/run/Document.ts"
import type { Restored, Snapshot, SnapshotCause } from "../../../src/code/Snapshots.ts"
import { runRef } from "../run/events.ts"

const snapshot = (number: number, cause: SnapshotCause, leftOut: ReadonlyArray<string> = []): Snapshot => ({
  schema: 2,
  run: runRef(),
  number,
  at: "2026-01-01T00:00:00.000Z",
  worktree: "/repo",
  cause,
  round: "agent" in cause ? 1 : null,
  tree: "t",
  rules: "r",
  skipped: leftOut.map((path) => ({ path, why: "it is too large", code: true })),
  git: [],
  commit: `c${number}`
})

const one = snapshot(1, { _tag: "BeforeAgent", agent: 1 }, ["big\n", "many"])
const two = snapshot(2, { _tag: "AfterAgent", agent: 1 })
const three = snapshot(3, { _tag: "BeforeUndo" })
const diff = { files: ["a.ts", "b.ts"], text: "--- a\n+++ b\n-x\n+y\n+z\n", whole: true }
const run = runRef()

describe("the list", () => {
  const undoable = { run, rounds: [{ round: 1, snapshots: [one, two], diff }], snapshots: [one, two, three] }

  it("has the rounds, what they changed, and their snapshots", () => {
    assert.strictEqual(
      undoableText(undoable),
      "round 1  2026-01-01T00:00:00.000Z  2 files changed, +2 -1\n" +
        "  snapshot 1  2026-01-01T00:00:00.000Z  before agent 1, without big\\n, many\n" +
        "  snapshot 2  2026-01-01T00:00:00.000Z  after agent 1\n" +
        "undos\n" +
        "  snapshot 3  2026-01-01T00:00:00.000Z  before an undo\n"
    )
    assert.strictEqual(undoableText({ run, rounds: [], snapshots: [] }), `run ${run.runId} has no snapshots\n`)
  })

  it("is one document", () => {
    const document = JSON.parse(undoableJson(undoable))
    const { at } = one
    assert.deepStrictEqual([document.run, document.rounds], [runName(run), [{ round: 1, files: diff.files }]])
    assert.deepStrictEqual(document.snapshots.slice(0, 1), [
      { number: 1, at, cause: "BeforeAgent", agent: 1, round: 1, commit: "c1", leftOut: ["big\\n", "many"] }
    ])
  })
})

const restored = (more: Partial<Restored> = {}): Restored => ({
  to: one,
  rounds: [1],
  saved: three,
  files: [{ path: "a.ts", change: "Written", merged: true }, { path: "b.ts", change: "Removed", merged: false }],
  left: [],
  ...more
})
const undone = (more: Partial<Restored> = {}, commits: ReadonlyArray<string> = []): UndoneRun => ({
  run,
  asked: { _tag: "LastRound" },
  restored: restored(more),
  commits
})

describe("an undo", () => {
  it("says what it took back, each file, and how to get back", () =>
    assert.strictEqual(
      undoneText(undone()),
      "took back round 1 [snapshot 1, before agent 1, 2026-01-01T00:00:00.000Z]: 1 written, 1 removed " +
        "[undo --to 3 brings back what was there]\n" +
        "  written  a.ts  (your changes stay)\n" +
        "  removed  b.ts\n"
    ))

  it("says that nothing is to be undone", () =>
    assert.match(undoneText(undone({ saved: null, files: [] })), /^nothing to undo: round 1 \[snapshot 1, [^\n]*\]\n$/))

  it("names all that it left, why, and the command that takes it back too", () => {
    const left = [
      { path: "x", reason: "Conflict" },
      { path: "y", reason: "Unsaved", detail: "it is a FIFO" },
      { path: "caf\xe9", reason: "NotSaved" }
    ] as const
    assert.include(
      undoneText({ ...undone({ left }), asked: { _tag: "Round", round: 1 } }),
      "left as they are:\n" +
        "  x  your change and the agent's touch\n" +
        "  y  what is there cannot be saved first (it is a FIFO)\n" +
        "  caf\ufffd  it could not be saved before the agent worked\n" +
        "to take these back too, and lose what is there: " +
        `ooda-codex-review undo ${run.runId} --round 1 --force --allow partial-snapshot\n`
    )
    assert.notInclude(undoneText(undone({ left: [{ path: "z", reason: "NotSaved" }] })), "to take these back")
  })

  it("counts the files after the first 20", () => {
    const files = Array.from({ length: 23 }, (_, i) => ({ path: `f${i}`, change: "Removed", merged: false } as const))
    const text = undoneText(undone({ files, rounds: [3, 2, 1] }))
    assert.match(text, /^took back rounds 1 to 3 .*\n(?: {2}removed {2}f\d+\n){20} {2}and 3 more\n$/)
  })

  it("says that commits stay, and how git undoes them", () =>
    assert.include(
      undoneText(undone({}, ["a".repeat(40), "b".repeat(40)])),
      `2 commits of the run stay; to undo them: git revert ${"a".repeat(12)} ${"b".repeat(12)}\n`
    ))

  it("shows the diff that it would make", () =>
    assert.match(
      previewText(undone({ saved: null }), { ...diff, whole: false }),
      /^would take back round 1 .*\n {2}written {2}a.ts[^]*\+z\nthe diff is longer than what is shown\n$/
    ))

  it("is one document", () => {
    const document = JSON.parse(undoneJson(undone({ left: [{ path: "x", reason: "Removed" }] }, ["c"]), false))
    assert.deepStrictEqual([document.to.number, document.saved.number, document.rounds], [1, 3, [1]])
    assert.deepStrictEqual(document.files, [
      { path: "a.ts", change: "written", merged: true },
      { path: "b.ts", change: "removed", merged: false }
    ])
    assert.deepStrictEqual([document.left, document.commits], [[{ path: "x", reason: "you removed it" }], ["c"]])
  })
})
