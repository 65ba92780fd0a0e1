// Why there is no working tree, for people: one line with what to do, whatever git or a path held.
import { assert, it } from "vitest"
import { TreeFailed, type TreeReason } from "../../../src/fleet/WorkingTrees.ts"

const reasons: ReadonlyArray<readonly [TreeReason, RegExp]> = [
  [
    { _tag: "WorkElsewhere", recorded: "/srv/\nwork" },
    /works in \/srv\/\\nwork on every machine \[work below that path/
  ],
  [{ _tag: "CommitMissing" }, /does not give its head commit \[push it/],
  [{ _tag: "BranchMissing", branch: "ne\nxt" }, /has no branch ne\\nxt \[name its base branch with --branch\]/],
  [{ _tag: "BaseElsewhere", branch: "main" }, /is not on the branch main \[submit it again with the commit that/],
  [{ _tag: "FetchTooLarge", most: 16 * 1024 ** 3 }, /hold more than 16384 MiB \[review it by hand, or remove/],
  [{ _tag: "TreeTooLarge" }, /lays out more than 500000 files.* \[review it by hand\]/],
  [{ _tag: "TreeChanged", what: "HEAD" }, /HEAD is not what was pinned \[/],
  [{ _tag: "TreeReplaced" }, /was made anew while it was reviewed \[/],
  [
    { _tag: "TreeUnknown", what: "looking for changes", fault: { _tag: "ProgramTooSlow", program: "git" } },
    /looking for changes: git .* \[where that stays so, remove it/
  ],
  [{ _tag: "LockHeld", seconds: 900 }, /held the lock for 900 seconds/],
  [
    {
      _tag: "GitRefused",
      what: "fetching",
      fault: { _tag: "ProgramFailed", program: "git", status: 1, said: "a\u001b[2Jb" }
    },
    /fetching: a\\u001b\[2Jb \[look/
  ]
]

it.each(reasons)("%j", (reason, line) => {
  const { message } = new TreeFailed({ path: "/work", reason })
  assert.match(message, line)
  assert.match(message, /^\/work: [^\n]*$/)
})
