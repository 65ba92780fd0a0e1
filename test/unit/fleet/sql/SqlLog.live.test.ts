// SqlLog: the name of a log in the tables, and in messages.
import { assert, it } from "vitest"
import { sqlLog, unavailable } from "../../../../src/fleet/sql/Statements.live.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { onlyRun } from "../../log/onlyRun.ts"
import { shoppingSample } from "../../log/samples.ts"
import { away } from "./heldTables.ts"

const run = onlyRun("store")

it("a log is named by its run and its kind", () => {
  assert.deepInclude(sqlLog(reviewRun, run), { run, kind: "review" })
  assert.notStrictEqual(sqlLog(reviewRun, run).path, sqlLog(shoppingSample.kind, run).path)
})

it("a message names the log, and nothing that the database said", () => {
  const { message } = unavailable(sqlLog(reviewRun, run))(away)
  assert.include(message, run.runId)
  assert.notInclude(message, "secret")
})
