// What is pinned of a clone: its commits and files, no mark of one machine, and nothing where it is no clone of them.
import { Result } from "effect"
import { assert, it } from "vitest"
import { pinnedIdentity } from "../../../src/fleet/PinnedCode.ts"
import { decode } from "../../../src/fleet/Submission.ts"
import { Identity } from "../../../src/run/Identity.ts"

const [head, base, tree] = ["a".repeat(40), "b".repeat(40), "c".repeat(40)]
const one = Result.getOrThrow(
  decode({ repo: "https://github.com/a/x", pr: 7, head, base, branch: "main" }, { local: false })
)
const same = { head, tree, base, headTree: tree, indexTree: tree, index: "d", untracked: false, nested: "" }
const known = { ...same, mergeBase: base, branch: "main", view: "v" }
const marks = {
  stamps: "1",
  moved: "2",
  movedBefore: "3",
  held: "4",
  baseMoved: "5",
  viewMoved: "6",
  indexMoved: "7"
}
const pinned = (other: object) => pinnedIdentity(Identity.cases.Known.make({ ...known, ...marks, ...other }), one)

it("keeps all but the marks of one machine", () =>
  assert.deepStrictEqual(Result.getOrThrow(pinned({})), Identity.cases.Known.make(known)))

it.each([
  [{ head: base }],
  [{ base: head }],
  [{ branch: "other" }],
  [{ tree: head }],
  [{ tree: null, headTree: null, indexTree: null }],
  [{ headTree: head }],
  [{ indexTree: null }],
  [{ untracked: true }]
])("is nothing where the clone has %j", (other) => assert.isTrue(Result.isFailure(pinned(other))))

it("is nothing where git could not tell", () => {
  const told = pinnedIdentity(Identity.cases.Unknown.make({ ...known, why: "too\nslow" }), one)
  assert.isTrue(Result.isFailure(told) && !told.failure.includes("\n"))
})
