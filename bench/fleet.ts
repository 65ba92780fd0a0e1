// fleet: what a log on PostgreSQL costs: lines a second and the time of one append, on a private server with fsync.
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { database } from "../src/adapters/sql/Database.ts"
import { layer } from "../src/adapters/sql/EventLogSql.ts"
import { makeTables } from "../src/adapters/sql/Tables.ts"
import { reviewRun } from "../src/core/run/ReviewRun.ts"
import { EventLog } from "../src/services/EventLog.ts"
import { startServer } from "../test/fleet/postgres.ts"
import { onlyRun } from "../test/unit/adapters/log/onlyRun.ts"
import { created, note } from "../test/unit/adapters/log/samples.ts"

const least = 1_000
const millis = 3_000

const server = await startServer(true)
const runtime = ManagedRuntime.make(Layer.provideMerge(layer, database(Redacted.make(server.database("bench")))))

/** Appends to a log of its own until the time is over; how long each append took. */
const appending = Effect.fnUntraced(function*(name: string, until: number) {
  const log = yield* EventLog
  const run = onlyRun(name)
  const took: Array<number> = []
  let head = yield* log.create(reviewRun, run, [created()])
  while (performance.now() < until) {
    const from = performance.now()
    head = yield* log.append(reviewRun, run, head, [note("x".repeat(300))])
    took.push(performance.now() - from)
  }
  return took
})

/** Many writers at once, each with a log of its own. */
const measure = async (writers: number): Promise<number> => {
  const from = performance.now()
  const names = Array.from({ length: writers }, (_, i) => `store-${writers}-${i}`)
  const each = await runtime.runPromise(
    Effect.forEach(names, (name) => appending(name, from + millis), { concurrency: "unbounded" })
  )
  const took = each.flat().sort((a, b) => a - b)
  const perSecond = took.length / ((performance.now() - from) / 1000)
  const at = (part: number): string => (took[Math.floor(took.length * part)] ?? 0).toFixed(2)
  console.log(
    `append, ${writers} writers: ${Math.round(perSecond)} lines/s, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`
  )
  return perSecond
}

try {
  await runtime.runPromise(makeTables)
  const rates: Array<number> = []
  for (const writers of [1, 8, 32]) rates.push(await measure(writers))
  const best = Math.max(...rates)
  console.log(`${Math.round(best)} lines/s at best; at least ${least} are wanted`)
  if (best < least) process.exitCode = 1
} finally {
  await runtime.dispose()
  await server.remove()
}
