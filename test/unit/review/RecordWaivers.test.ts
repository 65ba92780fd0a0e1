// RecordWaivers: what does not block is in the log before anything depends on it, a line a batch, once.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { noWaivers, recordWaivers, type Waivers } from "../../../src/review/Waivers.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { batchCompleted, batchStarted, finished, opened as batchOpened, started, tree } from "../run/events.ts"
import { byAnother, onMachine, opened, openedStrict, tags } from "../run/opened.ts"

const done = [batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1"))]
const low = { level: "low", batch: 1 } as const
const waivers: Waivers = {
  ...noWaivers,
  of: () => [{ fingerprint: "0".repeat(16), title: "T", priority: 3, because: { _tag: "BelowBlock" } }]
}

describe("recording what does not block", () => {
  it("commits a line, and nothing where the log says so already", async () => {
    const written = await onMachine(Effect.gen(function*() {
      const run = yield* recordWaivers(yield* openedStrict(done), { waivers, takenForClean: [low] })
      yield* recordWaivers(run, { waivers, takenForClean: [low] })
      yield* recordWaivers(run, { waivers, takenForClean: [] })
      return (yield* tags).slice(1)
    }))
    assert.deepStrictEqual(written, [["BatchWaived"]])
  })

  it("is nothing on a run that is not strict", async () => {
    const written = await onMachine(Effect.gen(function*() {
      yield* recordWaivers(yield* opened(done), { waivers, takenForClean: [low] })
      return (yield* tags).slice(1)
    }))
    assert.deepStrictEqual(written, [])
  })

  it("loses to a process that was first", async () => {
    const error = await onMachine(Effect.gen(function*() {
      const run = yield* openedStrict(done)
      yield* byAnother(run, [batchOpened("medium", 1)])
      return yield* Effect.flip(recordWaivers(run, { waivers, takenForClean: [low] }))
    }))
    assert.instanceOf(error, LogConflict)
  })
})
