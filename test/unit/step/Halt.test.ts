// Halt: what is written before a header is printed: findings, history, a fixed point, or nothing.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { lowestBar } from "../../../src/review/findings/Waiving.ts"
import type { Outcome } from "../../../src/run/Outcome.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Level } from "../../../src/run/Level.ts"
import { handoffPlaces, prepareHalt } from "../../../src/step/Halt.ts"
import { startReviews } from "../../../src/review/Start.ts"
import { observe } from "../../../src/review/Observe.ts"
import { record } from "../../../src/review/Record.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { batchCompleted, batchStarted, finished, opened as batchOpened, started, tree } from "../run/events.ts"
import { byAnother, lines, onMachine, opened, openedStrict } from "../run/opened.ts"

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2 })

/** A run whose reviewers all found the same. */
const reviewed = Effect.gen(function*() {
  const run = yield* startReviews(yield* opened(), { cause: "not-started" }, { settings, cwd: "/repo" })
  return (yield* record(run, yield* observe(run), settings)).run
})

/** The results of a halt: the documents that it wrote, by place, and the lines that it added. */
const left = async (outcome: Outcome, ceiling: Level = "low", times = 1) =>
  await onMachine(
    Effect.gen(function*() {
      const run = yield* reviewed
      const before = yield* World.use(({ documents }) => Ref.get(documents))
      let after = run
      for (let i = 0; i < times; i++) after = yield* prepareHalt(after, outcome, ceiling, lowestBar)
      const documents = yield* World.use(({ documents }) => Ref.get(documents))
      const places = yield* handoffPlaces(after)
      return {
        written: [...documents].filter(([place]) => !before.has(place)),
        places,
        added: (yield* lines).slice(2).flat(),
        same: after === run
      }
    }),
    { script: () => Scripted.issues(0, "Close the file") }
  )

const reached: Event = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }

describe("a halt", () => {
  it("wrote the findings of a hand-off", async () => {
    const { added, places, same, written } = await left({ _tag: "HandoffAgent", action: "AddressBatch", prompt: "" })
    assert.deepStrictEqual(written.map(([place]) => place), [places.findings])
    assert.include(written[0]?.[1], "Close the file")
    assert.deepStrictEqual([added, same], [[], true])
  })

  it("wrote the history before a retrospective", async () => {
    const { added, places, written } = await left({ _tag: "HandoffAgent", action: "Retrospective", prompt: "" })
    assert.deepStrictEqual(written.map(([place]) => place), [places.history])
    assert.include(written[0]?.[1], "Close the file")
    assert.deepStrictEqual(added, [])
  })

  it("recorded the fixed point with its ceiling", async () => {
    assert.deepInclude(await left({ _tag: "DoneFixedPoint" }), { written: [], added: [reached], same: false })
    const higher = await left({ _tag: "DoneFixedPoint" }, "high")
    assert.deepStrictEqual(higher.added, [{ ...reached, ceiling: "high" }])
  })

  it("records a fixed point once", async () =>
    assert.deepStrictEqual((await left({ _tag: "DoneFixedPoint" }, "low", 3)).added, [reached]))

  it("records a fixed point again for another ceiling", () =>
    onMachine(
      Effect.gen(function*() {
        const low = yield* prepareHalt(yield* reviewed, { _tag: "DoneFixedPoint" }, "low", lowestBar)
        yield* prepareHalt(low, { _tag: "DoneFixedPoint" }, "high", lowestBar)
        assert.deepStrictEqual((yield* lines).slice(2).flat(), [reached, { ...reached, ceiling: "high" }])
      }),
      { script: () => Scripted.issues(0, "Close the file") }
    ))

  it("names the ceiling's batch at the fixed point of a strict run, wherever the run is", () =>
    onMachine(Effect.gen(function*() {
      const done = [batchStarted({ size: 1 }), started(), finished("Clean"), batchCompleted(tree("t1"))]
      const run = yield* openedStrict(done, [batchOpened("medium", 1)])
      yield* prepareHalt(run, { _tag: "DoneFixedPoint" }, "low", lowestBar)
      assert.deepStrictEqual((yield* lines).at(-1), [reached])
    })))

  const others: ReadonlyArray<Outcome> = [
    { _tag: "StuckCapReached", action: "RunReviews", key: "k" },
    { _tag: "BinaryError", message: "m" },
    { _tag: "DoneAborted" }
  ]
  it.each(others)(
    "in $_tag leaves nothing",
    async (outcome) => assert.deepInclude(await left(outcome), { written: [], added: [], same: true })
  )

  it("loses to a process that was first at the fixed point", async () => {
    const error = await onMachine(Effect.gen(function*() {
      const run = yield* reviewed
      yield* byAnother(run, [batchOpened("medium", 1)])
      return yield* Effect.flip(prepareHalt(run, { _tag: "DoneFixedPoint" }, "low", lowestBar))
    }))
    assert.instanceOf(error, LogConflict)
  })
})
