// EventLogSql: over tables in memory it keeps the laws of every log; a database that is away is told in one line.
import { Effect, Layer, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { database } from "../../../../src/fleet/sql/Database.live.ts"
import { layer, make } from "../../../../src/fleet/sql/EventLog.live.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { answersAsMemory, eventLogLaws } from "../eventLogLaws.ts"
import { onlyRun } from "../../log/onlyRun.ts"
import { outcome } from "../../log/temporaryLog.ts"
import { heldTables } from "./heldTables.ts"

const run = onlyRun("store")

describe("over tables in memory", () => {
  eventLogLaws(Layer.sync(EventLog, () => make(heldTables().ask)), () => run)

  it("a log answers as the one in memory does", () => answersAsMemory(() => ({ run, log: make(heldTables().ask) })))
})

it("over no database is unavailable, and names no address, user or password", async () => {
  const live = Layer.provide(layer, database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere")))
  const error = await Effect.runPromise(
    Effect.flip(EventLog.use((log) => log.read(reviewRun, run)).pipe(Effect.provide(live)))
  )
  assert.deepInclude(await outcome(Effect.fail(error)), { _tag: "LogUnavailable" })
  assert.match(error.message, /the database cannot be reached \[check that it runs/)
  assert.notMatch(JSON.stringify(error) + error.message, /annabel|s3cret|nowhere/)
})
