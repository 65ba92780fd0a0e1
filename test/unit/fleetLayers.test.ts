// fleetLayers: a store in a database has the ports of one on a disk, and a database that is away is one line.
import { Cause, Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { stored } from "../../src/fleetLayers.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { StoreFailed } from "../../src/run/RunStore.ts"

it("fails without a database, in words that contain no address", async () => {
  const url = Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere")
  const ended = await Effect.runPromise(
    Effect.exit(Effect.provide(EventLog, stored(url, { lease: 3000, account: null })))
  )
  if (ended._tag === "Success") throw new Error("there is a store")
  const failure = Cause.squash(ended.cause)
  assert.instanceOf(failure, StoreFailed)
  assert.match(String(failure), /the database cannot be reached/)
  assert.notMatch(Cause.pretty(ended.cause).split("\n")[0] ?? "", /annabel|s3cret/)
})
