// PinnedLayers: who drives a run of submissions hears of the base branch alone, and finds nothing to undo.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { pinnedLayers } from "../../../src/fleet/PinnedCode.live.ts"
import { PrNumber } from "../../../src/run/Target.ts"
import { Dismissals } from "../../../src/review/findings/Dismissals.ts"
import { GitHub } from "../../../src/code/GitHub.ts"
import { Snapshots } from "../../../src/code/Snapshots.ts"
import type { Pin } from "../../../src/fleet/Submission.ts"
import { onlyRun } from "../log/onlyRun.ts"
import { pinnedOf } from "./pins.ts"

const pinned: Pin = pinnedOf()
const { base, branch, head } = pinned.submission
const at = <A, E>(use: Effect.Effect<A, E, Dismissals | GitHub | Snapshots>, pins = [pinned]): Promise<A> =>
  Effect.runPromise(Effect.provide(use, pinnedLayers(pins)))

describe("the layers of what was pinned", () => {
  it("know the base branch of their pull request alone", async () => {
    const baseOf = (number: number) => GitHub.use((gitHub) => gitHub.baseOf("/any", PrNumber.make(number)))
    assert.strictEqual(await at(baseOf(7)), branch)
    for (const [number, pins] of [[8, [pinned]], [7, []]] as const) {
      assert.strictEqual((await at(Effect.flip(baseOf(number)), [...pins])).number, number)
    }
  })

  it("tell the dismissals of the base, never those of the change or of the working copy", async () => {
    const read = (from: Parameters<Dismissals["Service"]["read"]>[1]) =>
      Dismissals.use((them) => them.read("/any", from))
    for (
      const from of [
        { _tag: "Base", branch },
        { _tag: "Revision", revision: base },
        { _tag: "Revision", revision: branch }
      ] as const
    ) assert.strictEqual(await at(read(from)), pinned.dismissals)
    for (const from of [{ _tag: "Worktree" }, { _tag: "Revision", revision: head }] as const) {
      assert.strictEqual((await at(Effect.flip(read(from))))._tag, "DismissalsFailed")
    }
    const added = Dismissals.use((them) => Effect.flip(them.add("/any", "{}")))
    assert.strictEqual((await at(added))._tag, "DismissalsFailed")
    assert.strictEqual((await at(Effect.flip(read({ _tag: "Base", branch })), []))._tag, "DismissalsFailed")
  })

  it("have no snapshot, and no undo that was cut off", async () => {
    const run = onlyRun("/state")
    const none = Snapshots.use((them) =>
      Effect.all([them.list(run), them.finish(run, "/any"), them.unfinished(run), them.snapshotted("/any")])
    )
    assert.deepStrictEqual(await at(none), [[], null, false, []])
    const refused = Snapshots.use((them) =>
      Effect.flip(them.restore(run, "/any", { _tag: "LastRound" }, { force: false, partial: false }))
    )
    assert.match((await at(refused)).message, /no agent works on it/)
  })
})
