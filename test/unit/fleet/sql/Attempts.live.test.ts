// Attempts: what a look at a row shows: only an exit that was handed in is one. test/fleet asks for real.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { attempts, type AttemptRow, stateOf } from "../../../../src/fleet/sql/Reviewers.live.ts"
import type { ReviewerState } from "../../../../src/run/ReviewTokens.ts"
import { runRef } from "../../run/events.ts"
import { isUnreached, nowhere } from "./nowhere.ts"
import { runDirectory } from "../../../../src/log/LogFile.live.ts"

const row: AttemptRow = {
  id: "a",
  state: "leased",
  silent: 7,
  waiting: 3,
  bytes: 99,
  status: null,
  deadline: false,
  oversize: false,
  age: 0
}
const alive = (silentFor: number, waitingForNetwork: number, bytes: number): ReviewerState => ({
  _tag: "Alive",
  silentFor,
  waitingForNetwork,
  bytes
})

describe("a row", () => {
  it.each<readonly [Partial<AttemptRow>, ReviewerState]>([
    [{ state: "absent" }, alive(0, 0, 0)],
    [{ state: "offered" }, alive(0, 0, 0)],
    [{ state: "leased" }, alive(7, 3, 99)],
    [{ state: "fenced" }, { _tag: "Unstarted" }],
    [{ state: "lost", status: 0 }, { _tag: "Lost" }],
    [{ state: "stopped", status: 0 }, { _tag: "Lost" }],
    [{ state: "exited" }, { _tag: "Lost" }],
    [{ state: "exited", status: 0 }, { _tag: "Exited", status: 0, deadline: false }],
    [{ state: "exited", status: 137, deadline: true }, { _tag: "Exited", status: 137, deadline: true }],
    [{ state: "exited", status: 1, oversize: true }, { _tag: "Exited", status: 1, deadline: false, oversize: true }]
  ])("%j shows %j", (fields, state) => assert.deepStrictEqual(stateOf({ ...row, ...fields }), state))
})

it("without a database nothing is told, rather than that nobody reviews", async () => {
  const review = { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1 } as const
  const asked = Effect.flatMap(
    attempts,
    ({ facts, underWay }) => Effect.all([Effect.flip(underWay(review.run)), Effect.flip(facts(review))])
  )
  for (const error of await Effect.runPromise(Effect.provide(asked, nowhere))) {
    isUnreached(runDirectory(review.run), error)
  }
})
