// writer: a small program around a log, to be killed: it appends lines and says which were acknowledged.
// A line is said on standard output when the append has returned, and never before.
import * as fs from "node:fs"
import { Effect } from "effect"
import { layer } from "../../src/log/EventLog.live.ts"
import type { TaggedEvent } from "../../src/log/StreamKind.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { reviewSample, type Sample, shoppingSample } from "../unit/log/samples.ts"

const [root = "", name = "", count = "1", kind = "review"] = process.argv.slice(2)
const run = onlyRun(root)

/** Commits one line, however often another process is first; creates the log where there is none yet. */
const commit = <E extends TaggedEvent, S>({ begun, kind, note }: Sample<E, S>) =>
  Effect.fnUntraced(function*(text: string) {
    const log = yield* EventLog
    const once = log.read(kind, run).pipe(
      Effect.map(({ head }) => head.seq === 0 ? null : head),
      Effect.catchTag("LogMissing", () => Effect.succeed(null)),
      Effect.flatMap((head) =>
        head === null ? log.create(kind, run, [begun, note(text)]) : log.append(kind, run, head, [note(text)])
      )
    )
    const head = yield* Effect.retry(once, { while: (error) => error._tag === "LogConflict" })
    fs.writeSync(1, `${head.seq} ${text}\n`)
  })

const one = kind === "review" ? commit(reviewSample) : commit(shoppingSample)
const all = Effect.forEach(Array.from({ length: Number(count) }, (_, i) => `${name}${i + 1}`), one)

process.exitCode = await Effect.runPromise(all.pipe(
  Effect.provide(layer),
  Effect.as(0),
  Effect.catch((error) =>
    Effect.sync(() => {
      fs.writeSync(2, `${error._tag}: ${error.message}\n`)
      return 6
    })
  )
))
