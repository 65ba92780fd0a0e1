// Living: a reviewer of a run that goes on was not to be ended; one of a run that was replaced may be.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { endedOf } from "../../../../src/testing/model/Invariants.ts"
import { clean } from "../../../../src/testing/Scripted.ts"
import * as Memory from "../../../../src/testing/Memory.ts"
import type { Reviewer } from "../../../../src/testing/World.ts"
import { runRef } from "../../run/events.ts"

const line = { seq: 1, hash: "" }
const one = (runId: string, slot: number): Reviewer => ({
  attempt: { run: { ...runRef(), runId }, level: "low", batch: 1, slot, attempt: 1, id: `${runId}-${slot}` },
  scripted: clean(),
  line,
  startedAt: 0,
  endsAt: 1,
  deadline: false,
  stoppedAt: null
})
const [old, newest] = ["20260101T000000Z-000000001-p1", "20260102T000000Z-000000001-p1"]

it("tells those of the newest run that are gone, and no others", async () => {
  const runs = [newest, old].map((runId) => ({ ...runRef(), runId }))
  const store = Effect.map(RunStore, (all) => ({ ...all, runs: () => Effect.succeed(runs) }))
  const gone = (ahead: ReadonlyArray<Reviewer>, left: ReadonlyArray<Reviewer>) =>
    Effect.runPromise(
      Effect.provideServiceEffect(endedOf(ahead, left), RunStore, store).pipe(
        Effect.map((all) => all.map(({ attempt }) => attempt.id)),
        Effect.provide(Memory.layer())
      )
    )
  const all = [one(old, 1), one(newest, 1), one(newest, 2)]
  assert.deepStrictEqual(await gone(all, [one(newest, 1)]), [`${newest}-2`])
  assert.deepStrictEqual(await gone(all, all), [])
  assert.deepStrictEqual(await gone([one(old, 1)], []), [])
})
