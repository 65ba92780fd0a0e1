// append: lines a second of logs on PostgreSQL, and the time of one append, by one writer and by many.
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { layer } from "../../src/fleet/sql/EventLog.live.ts"
import { makeTables } from "../../src/fleet/sql/Tables.live.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { startServer } from "../../test/fleet/postgres.ts"
import { onlyRun } from "../../test/unit/log/onlyRun.ts"
import { created, note } from "../../test/unit/log/samples.ts"
import { figure, quantile } from "./figures.ts"

const millis = 3_000

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

/** Measures on a private server with fsync. */
export const append = async (): Promise<void> => {
  const server = await startServer(true)
  const runtime = ManagedRuntime.make(Layer.provideMerge(layer, database(Redacted.make(server.database("bench")))))
  try {
    await runtime.runPromise(makeTables)
    for (const writers of [1, 8, 32]) {
      const from = performance.now()
      const names = Array.from({ length: writers }, (_, i) => `store-${writers}-${i}`)
      const each = await runtime.runPromise(
        Effect.forEach(names, (name) => appending(name, from + millis), { concurrency: "unbounded" })
      )
      const took = each.flat()
      const rate = took.length / ((performance.now() - from) / 1000)
      const [half, most] = [quantile(took, 0.5), quantile(took, 0.95)].map((value) => value.toFixed(2))
      figure(`append, ${writers} writers (p50 ${half} ms, p95 ${most} ms)`, rate, "lines/s", { least: 1000 })
    }
  } finally {
    await runtime.dispose()
    await server.remove()
  }
}
