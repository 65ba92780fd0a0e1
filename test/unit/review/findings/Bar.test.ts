// Bar: from where the dismissals come that batches are judged by, and what is wrong with them.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { dismissalLine, type DismissalsFrom } from "../../../../src/review/findings/Dismissals.ts"
import { BranchName, PrNumber, type Target } from "../../../../src/run/Target.ts"
import { barOf, barToShow, type BarSettings } from "../../../../src/review/findings/Waiving.ts"
import { Memory } from "../../../../src/testing.ts"
import { dismissalsPlace } from "../../../../src/testing/memory/Code.ts"
import { World } from "../../../../src/testing.ts"
import { batchStarted, created } from "../../run/events.ts"
import { begun, onMachine, openedFor } from "../../run/opened.ts"

const main = BranchName.make("main")
const pull: Target = { _tag: "PullRequest", number: PrNumber.make(7) }
const everything: BarSettings = { block: null, trustFrom: null }
const places: ReadonlyArray<readonly [DismissalsFrom, string]> = [
  [{ _tag: "Worktree" }, "here"],
  [{ _tag: "Base", branch: main }, "base"],
  [{ _tag: "Revision", revision: "v1" }, "v1"]
]
const line = (reason: string): string =>
  dismissalLine({ fingerprint: "0".repeat(16), priority: null, path: null, wordings: [], until: null, reason, at: "" })

/** What of the three places counts for a target. */
const counted = (target: Target, judging = everything, lines: Parameters<typeof openedFor>[1][] = [], asks = true) =>
  onMachine(
    Effect.gen(function*() {
      const { documents } = yield* World
      yield* Ref.set(documents, new Map(places.map(([from, reason]) => [dismissalsPlace(from), line(reason)])))
      const run = yield* openedFor(target, ...lines)
      const { block, dismissals } = yield* asks ? barOf(run, judging) : barToShow(run, judging)
      return [block, ...dismissals.map(({ reason, scope }) => `${scope} ${reason}`)]
    }),
    { gitHub: Memory.gitHub({ 7: main }) }
  )

describe("the dismissals of a repository", () => {
  it("are those of the worktree, of a pull request's base, or of the commit that is trusted", async () => {
    assert.deepStrictEqual(await counted({ _tag: "Uncommitted" }), [3, "repo here"])
    assert.deepStrictEqual(await counted({ _tag: "Base", branch: main }, { block: 1, trustFrom: null }), [
      1,
      "repo here"
    ])
    assert.deepStrictEqual(await counted(pull), [3, "repo base"])
    assert.deepStrictEqual(await counted(pull, { block: null, trustFrom: "v1" }), [3, "repo v1"])
    assert.deepStrictEqual(await counted({ _tag: "Uncommitted" }, { block: null, trustFrom: "v1" }), [3, "repo v1"])
  })

  it("are those that the run has trusted from its beginning, whatever decides by them names", async () => {
    const said = (decides: boolean, trustFrom: string | null, began: object = { trustFrom: "v1" }) =>
      onMachine(Effect.gen(function*() {
        const { documents } = yield* World
        yield* Ref.set(documents, new Map(places.map(([from, reason]) => [dismissalsPlace(from), line(reason)])))
        const run = yield* begun(created({ strict: true, ...began }), [])
        const judging = { block: null, trustFrom }
        const { dismissals } = yield* decides ? barOf(run, judging) : barToShow(run, judging)
        return dismissals.map(({ reason }) => reason)
      }))
    for (const decides of [true, false]) assert.deepStrictEqual(await said(decides, null), ["v1"])
    assert.deepStrictEqual(await said(true, "v2"), ["v1"])
    // The name may stand for another commit by now.
    const settled = { trustFrom: "moved", trustCommit: "v1" }
    for (const decides of [true, false]) assert.deepStrictEqual(await said(decides, null, settled), ["v1"])
    assert.deepStrictEqual(await said(false, "moved", settled), ["v1"])
  })

  it("of a pull request are left out where they are only shown and nobody knows the base, never read from the change", async () => {
    assert.deepStrictEqual(await counted(pull, everything, [], false), [3])
    assert.deepStrictEqual(await counted(pull, everything, [[batchStarted({ base: main })]], false), [3, "repo base"])
  })

  it("come behind those of the run", async () => {
    const dismissed = {
      _tag: "FindingDismissed",
      fingerprint: "f".repeat(16),
      priority: null,
      path: null,
      wordings: [],
      until: null,
      reason: { text: "mine" }
    } as const
    assert.deepStrictEqual(await counted({ _tag: "Uncommitted" }, everything, [[dismissed]]), [
      3,
      "run mine",
      "repo here"
    ])
  })

  it("are refused where a line is none", async () => {
    const error = await onMachine(Effect.gen(function*() {
      yield* Ref.set((yield* World).documents, new Map([[dismissalsPlace({ _tag: "Worktree" }), "<<<<\n"]]))
      return yield* Effect.flip(barOf(yield* openedFor({ _tag: "Uncommitted" }), everything))
    }))
    assert.deepInclude(error, { _tag: "DismissalsFailed", reason: { _tag: "NoDismissal", line: 1 } })
  })
})
