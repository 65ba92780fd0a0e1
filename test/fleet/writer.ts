// writer: a program around a log on PostgreSQL, to be killed: it appends forever and says what was acknowledged.
// A line is said on standard output when the append has returned, and never before.
import * as fs from "node:fs"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { layer } from "../../src/fleet/sql/EventLog.live.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { created, note, notes } from "../unit/log/samples.ts"

const [url = "", store = "", name = ""] = process.argv.slice(2)
const run = onlyRun(store)

/**
 * Commits a text unless the log holds it: without an answer it decides again from the log's contents. Prints its line
 * only if this very append was acknowledged.
 */
const commit = Effect.fnUntraced(function*(text: string) {
  const log = yield* EventLog
  const known = yield* log.read(reviewRun, run).pipe(Effect.catchTag("LogMissing", () => Effect.succeed(null)))
  if (known !== null && notes(known).includes(text)) return
  const head = yield* known === null
    ? log.create(reviewRun, run, [created(), note(text)])
    : log.append(reviewRun, run, known.head, [note(text)])
  fs.writeSync(1, `${head.seq} ${text}\n`)
})

const again = Schedule.spaced("5 millis")
const all = Effect.forEach(
  Array.from({ length: 1_000_000 }, (_, i) => `${name}.${i + 1}`),
  (text) =>
    Effect.retry(commit(text), {
      while: ({ _tag }) => _tag === "LogConflict" || _tag === "LogUnavailable",
      schedule: again
    }),
  { discard: true }
)

await Effect.runPromise(Effect.provide(all, Layer.provide(layer, database(Redacted.make(url)))))
