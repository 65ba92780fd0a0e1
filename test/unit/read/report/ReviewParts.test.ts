// What a report tells of a review run: its driver's stream is read where there is one.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import { reviewParts } from "../../../../src/read/report/Report.ts"
import { Dismissals, DismissalsFailed } from "../../../../src/review/findings/Dismissals.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { driving } from "../../drive/converge/events.ts"
import { onMachine, openedStrict } from "../../run/opened.ts"

describe("the parts of a review run", () => {
  it("are without rounds where nobody has driven it", async () => {
    const { logs, path, turns } = await onMachine(Effect.flatMap(openedStrict(), ({ ref }) => reviewParts(ref)))
    assert.deepStrictEqual([turns, path?.batches], [[], []])
    assert.deepStrictEqual(logs.map(({ count, name }) => [name, count]), [["review", 1]])
  })

  it("say that the repository's dismissals cannot be read, where it is gone", async () => {
    const failed = new DismissalsFailed({ reason: { _tag: "NoCommit", revision: "main" } })
    const { findings } = await onMachine(Effect.flatMap(
      openedStrict(),
      ({ ref }) =>
        Effect.gen(function*() {
          const dismissals = yield* Dismissals
          return yield* Effect.provideService(reviewParts(ref), Dismissals, {
            ...dismissals,
            read: () => Effect.fail(failed)
          })
        })
    ))
    assert.deepStrictEqual(findings.notes, [`The repository's dismissals cannot be read: ${failed.message}`])
  })

  it("hold the driver's log, also before its first round", async () => {
    const { logs, turns } = await onMachine(Effect.gen(function*() {
      const { ref } = yield* openedStrict()
      yield* (yield* EventLog).create(convergeRun, ref, [driving])
      return yield* reviewParts(ref)
    }))
    assert.isEmpty(turns)
    assert.deepStrictEqual(logs.map(({ count, name }) => [name, count]), [["review", 1], ["converge", 1]])
  })
})
