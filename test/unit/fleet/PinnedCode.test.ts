// PinnedCode: a copy that may be made later is asked for again for a while, and one that never can is not.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { mayCome, PinnedCode, pinsOf } from "../../../src/fleet/PinnedCode.ts"
import { TreeFailed, type TreeReason } from "../../../src/fleet/WorkingTrees.ts"
import { pinnedLayers as shown } from "../../../src/fleet/PinnedCode.live.ts"
import { targetOf } from "../../../src/fleet/Submission.ts"
import { submissionsWith, treesWith } from "./fakes.ts"
import { pinnedOf } from "./pins.ts"

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

it("the pin of a new submission comes before the earlier pins", async () => {
  const [third, ...before] = [pinnedOf("3"), pinnedOf("2"), pinnedOf("1")]
  const newest = { number: 3, at: 0, submission: third.submission }
  const pins = await Effect.runPromise(Effect.provide(
    pinsOf(targetOf("pg:1", third.submission), newest),
    Layer.mergeAll(
      submissionsWith(before),
      treesWith(third.tree),
      Layer.succeed(PinnedCode, { pin: () => Effect.succeed(third), shown })
    )
  ))
  assert.deepStrictEqual(pins, [third, ...before])
})
