// What a snapshot says of itself comes back from the message of its commit, and which one an undo goes back to.
import { assert, describe, it } from "vitest"
import {
  beforeLastAgent,
  causeText,
  changedParts,
  rangeBetween,
  readSnapshotMessage,
  shownName,
  type Snapshot,
  type SnapshotCause,
  type SnapshotFacts,
  snapshotMessage
} from "../../../src/code/Snapshots.ts"

const facts = (number: number, cause: SnapshotCause): SnapshotFacts => ({
  schema: 1,
  run: { root: "/s", repoId: "r", targetKey: "uncommitted", runId: "20260101T000000Z-000000000-p1" },
  number,
  at: "2026-01-01T00:00:00.000Z",
  worktree: "/repo",
  cause,
  leftOut: ["b\u00ffg\n\n\u0085", "many/"],
  repositories: [{ name: "lib", commit: "abc" }],
  git: [{ part: "HEAD", digest: "1" }]
})
const snapshot = (number: number, cause: SnapshotCause): Snapshot => ({ ...facts(number, cause), commit: `c${number}` })

describe("a snapshot", () => {
  it("says all of itself in a message, with a line for people first", () => {
    const told = facts(3, { _tag: "BeforeAgent", agent: 2 })
    const message = snapshotMessage(told)
    assert.match(message, /^Snapshot 3 of run 20260101T000000Z-000000000-p1, before agent 2\n\n\{.*\}\n$/)
    assert.deepStrictEqual(readSnapshotMessage(message), told)
  })

  it("is not what another commit says", () => {
    for (const message of ["", "Fix it\n", "Fix it\n\n{}\n", 'Fix it\n\n{"schema":2}']) {
      assert.isNull(readSnapshotMessage(message))
    }
  })

  it("was taken for a reason", () => {
    assert.deepStrictEqual(
      ([{ _tag: "BeforeAgent", agent: 1 }, { _tag: "AfterAgent", agent: 1 }, { _tag: "BeforeUndo", to: 4 }] as const)
        .map(causeText),
      ["before agent 1", "after agent 1", "before the undo to 4"]
    )
  })

  it("before the last agent is the one to go back to", () => {
    const [one, two] = [snapshot(1, { _tag: "BeforeAgent", agent: 1 }), snapshot(2, { _tag: "BeforeAgent", agent: 2 })]
    const after = snapshot(3, { _tag: "AfterAgent", agent: 2 })
    assert.strictEqual(beforeLastAgent([one, two, after, snapshot(4, { _tag: "BeforeUndo", to: 1 })]), two)
    assert.isNull(beforeLastAgent([]))
    assert.strictEqual(rangeBetween(two, after), "c2..c3")
  })
})

it("a name is shown as text on one line", () => {
  assert.strictEqual(shownName("\u00c3\u00a4\n"), "ä\\n")
  assert.strictEqual(shownName("a\u00ff"), "a\ufffd")
})

it("parts of git that changed, came or went are named", () => {
  const before = [{ part: "HEAD", digest: "1" }, { part: "refs", digest: "2" }, { part: "hooks of lib", digest: "3" }]
  const now = [{ part: "HEAD", digest: "1" }, { part: "refs", digest: "4" }, { part: "hooks of new", digest: "3" }]
  assert.deepStrictEqual(changedParts(before, now), ["refs", "hooks of lib", "hooks of new"])
  assert.deepStrictEqual(changedParts(before, before), [])
})
