// The error of snapshots in words: every reason has its message, on one line, and says what to do.
import { assert, it } from "vitest"
import { SnapshotFailed, type SnapshotReason } from "../../../src/code/Snapshots.ts"

const reasons: ReadonlyArray<readonly [SnapshotReason, RegExp]> = [
  [{ _tag: "GitComplained", why: "no\nrepository" }, /^no\\nrepository$/],
  [
    { _tag: "Partial", leftOut: ["a", "b/", "c", "d"] },
    /^an undo could not put back a, b\/, c and 1 more: 4 untracked paths .* with --allow partial-snapshot$/
  ],
  [{ _tag: "NoneOfRun", run: "2026" }, /^run 2026 has no snapshots: no agent has worked on it here$/],
  [{ _tag: "NoSuchNumber", number: 7, last: 3 }, /^there is no snapshot 7; the last one is 3 \[undo --list/],
  [{ _tag: "InTheWay", name: "a", by: "a/b\u00ff" }, /^a cannot be put back: a\/b\ufffd, which no snapshot holds/],
  [{ _tag: "Interrupted", to: 2, why: "ENOSPC" }, /^the worktree is only partly back at snapshot 2: ENOSPC; mend/],
  [
    { _tag: "LockHeld", seconds: 10 },
    /^another process has held the lock for 10 seconds; call again when it has ended$/
  ]
]

it.each(reasons)("$_tag has its message", (reason, message) => {
  const failed = new SnapshotFailed({ reason })
  assert.match(failed.message, message)
  assert.notInclude(failed.message, "\n")
})
