// PinnedCode: a copy that may be made later is asked for again for a while, and one that never can is not.
import { assert, it } from "vitest"
import { mayCome } from "../../../src/fleet/PinnedCode.ts"
import { TreeFailed, type TreeReason } from "../../../src/fleet/WorkingTrees.ts"

const fault = { _tag: "ProgramFailed", program: "git", status: 128, said: "no answer" } as const
const slow = { _tag: "ProgramTooSlow", program: "git" } as const

const cases: ReadonlyArray<readonly [TreeReason, boolean]> = [
  [{ _tag: "GitRefused", what: "fetching", fault }, true],
  [{ _tag: "SystemRefused", code: "ENOSPC", call: "write", said: "" }, true],
  [{ _tag: "GitRefused", what: "fetching", fault: slow }, false],
  [{ _tag: "GitRefused", what: "laying out the files", fault: slow }, true],
  [{ _tag: "CommitMissing" }, false],
  [{ _tag: "TreeTooLarge" }, false],
  [{ _tag: "WorkElsewhere", recorded: "/work" }, false]
]

it.each(cases)("%j may come later: %j", (reason, comes) => {
  const failure = new TreeFailed({ path: "/work", reason })
  assert.deepStrictEqual([1, 5, 6].map((tries) => mayCome(failure, tries)), [comes, comes, false])
})
