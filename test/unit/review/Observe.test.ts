// Observe: one look at the attempts that are running according to the log, without side effects.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { AttemptRef } from "../../../src/run/Refs.ts"
import { observe } from "../../../src/review/Observe.ts"
import type { Event } from "../../../src/run/Event.ts"
import { batchStarted, failed, finished, started } from "../run/events.ts"
import { lines, onMachine, opened } from "../run/opened.ts"
import { alive, exited, looking } from "../../support/reviewers.ts"

/** The result of a look at a run with these lines, the calls to reviewers, and whether it wrote anything. */
const looked = async (before: ReadonlyArray<Event>, acting?: boolean) => {
  const calls: Array<string> = []
  const reviewers = looking(({ slot }) => slot === 1 ? alive : exited(), (what) => void calls.push(what))
  const [seen, written] = await onMachine(
    Effect.gen(function*() {
      const run = yield* opened(before)
      return [yield* observe(run, acting), yield* lines] as const
    }),
    { reviewers }
  )
  assert.lengthOf(written, 1)
  return { seen, calls }
}

const three = [batchStarted({ size: 3 }), started(), started({ slot: 2, id: "id-2" }), started({ slot: 3, id: "id-3" })]

describe("a look at a run", () => {
  it("shows each open attempt with its state", async () => {
    const { seen, calls } = await looked([...three, finished("Clean", { slot: 2 })])
    const place = { level: "low", batch: 1, attempt: 1 } as const
    const of = ({ run: _, ...attempt }: AttemptRef) => attempt
    assert.deepStrictEqual(seen.map(({ attempt, state }) => ({ attempt: of(attempt), state })), [
      { attempt: { ...place, slot: 1, id: "id-1" }, state: alive },
      { attempt: { ...place, slot: 3, id: "id-3" }, state: exited() }
    ])
    assert.deepStrictEqual(calls, ["look at 1,3"])
  })

  it("looks at the last attempt of a slot", async () => {
    const { seen } = await looked([
      batchStarted({ size: 1 }),
      started(),
      failed({ transient: true }),
      started({ attempt: 2, id: "again" })
    ])
    assert.deepStrictEqual(seen.map(({ attempt }) => [attempt.id, attempt.attempt]), [["again", 2]])
  })

  it("passes on that it must not act", async () =>
    assert.deepStrictEqual((await looked(three, false)).calls, ["look only at 1,2,3"]))

  it("makes no call if no attempt is open", async () => {
    const ended = [batchStarted({ size: 1 }), started(), finished("Clean")]
    for (const before of [[batchStarted()], ended]) {
      assert.deepStrictEqual(await looked(before), { seen: [], calls: [] })
    }
  })

  it("makes no call before the batch is started", async () => {
    const seen = await onMachine(Effect.flatMap(opened(), (run) => observe(run)), {
      reviewers: looking(() => assert.fail("looked"))
    })
    assert.deepStrictEqual(seen, [])
  })
})
