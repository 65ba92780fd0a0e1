// Committing: what the database answers to a commit, as the failures of the port.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { commit, type NewCommit } from "../../../../src/fleet/sql/EventLog.live.ts"
import { sqlLog, type Statements } from "../../../../src/fleet/sql/Statements.live.ts"
import { beginning } from "../../../../src/log/StreamKind.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { onlyRun } from "../../log/onlyRun.ts"
import { created, note } from "../../log/samples.ts"
import { outcome } from "../../log/temporaryLog.ts"
import { away, heldTables, stopping } from "./heldTables.ts"

const log = sqlLog(reviewRun, onlyRun("store"))
const by = { version: "0.1.0", pid: 7 }
const first: NewCommit<Event> = { as: "first", expected: beginning, by, events: [created()] }

const told = (why: string, state: string | null) => ({
  _tag: "LogUnavailable",
  reason: { _tag: "DatabaseRefused", why, state }
})

describe("a commit", () => {
  it("is one statement, and no question where nothing is wrong", async () => {
    const { ask, only } = heldTables()
    const asked: Array<string> = []
    const counted: Statements = {
      part: (...of) => Effect.andThen(Effect.sync(() => asked.push("part")), ask.part(...of)),
      bytesBefore: ask.bytesBefore,
      create: (...of) => Effect.andThen(Effect.sync(() => asked.push("create")), ask.create(...of)),
      append: (...of) => Effect.andThen(Effect.sync(() => asked.push("append")), ask.append(...of))
    }
    const head = await Effect.runPromise(commit(counted, log, first))
    await Effect.runPromise(commit(counted, log, { as: "further", expected: head, by, events: [note("2")] }))
    assert.deepStrictEqual(asked, ["create", "append"])
    assert.deepStrictEqual(only().lines.map(({ seq }) => seq), [1, 2])
  })

  it("to a database that is away, or goes away, is unavailable, and nobody says that it was made", async () => {
    const { ask } = heldTables()
    const head = await Effect.runPromise(commit(ask, log, first))
    const gone: Statements = { ...ask, create: () => Effect.fail(away), append: () => Effect.fail(stopping) }
    assert.deepStrictEqual(await outcome(commit(gone, log, first)), told("closed", null))
    assert.deepStrictEqual(
      await outcome(commit(gone, log, { as: "further", expected: head, by, events: [note("2")] })),
      told("unreachable", "57P01")
    )
  })

  it("whose answer was lost is a conflict when it is made again", async () => {
    const { ask, only } = heldTables()
    const head = await Effect.runPromise(commit(ask, log, first))
    const lost: Statements = { ...ask, append: (...of) => Effect.andThen(ask.append(...of), Effect.fail(away)) }
    const second: NewCommit<Event> = { as: "further", expected: head, by, events: [note("2")] }
    assert.deepStrictEqual(await outcome(commit(lost, log, second)), told("closed", null))
    assert.deepStrictEqual(await outcome(commit(ask, log, second)), { _tag: "LogConflict", expected: 1, actual: 2 })
    assert.lengthOf(only().lines, 2)
  })

  it("behind a head that somebody put back is refused, although its line is there", async () => {
    const { ask, only } = heldTables()
    const one = await Effect.runPromise(commit(ask, log, first))
    const two = await Effect.runPromise(commit(ask, log, { as: "further", expected: one, by, events: [note("2")] }))
    only().head = { seq: 1, hash: two.hash }
    assert.deepStrictEqual(
      await outcome(commit(ask, log, { as: "further", expected: two, by, events: [note("3")] })),
      { _tag: "LogRewound", kind: "rolled back" }
    )
  })

  it("that no question explains is a conflict: somebody put the log back meanwhile", async () => {
    const { ask } = heldTables()
    const head = await Effect.runPromise(commit(ask, log, first))
    const moved: Statements = { ...ask, append: () => Effect.succeed(false) }
    assert.deepStrictEqual(
      await outcome(commit(moved, log, { as: "further", expected: head, by, events: [note("2")] })),
      { _tag: "LogConflict", expected: 1, actual: 1 }
    )
  })
})
