// writer: a small program around the log, to be killed: it appends lines and says which were acknowledged.
// The one rule: a line is said on standard output when the append has returned, and never before.
import * as fs from "node:fs"
import { Effect } from "effect"
import { layer } from "../../src/adapters/log/EventLogFile.ts"
import type { Event } from "../../src/core/run/Event.ts"
import { reviewRun } from "../../src/core/run/ReviewRun.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { onlyRun } from "../unit/adapters/log/onlyRun.ts"

const [root = "", name = "", count = "1"] = process.argv.slice(2)
const run = onlyRun(root)

const created: Event = {
  _tag: "RunCreated",
  runId: run.runId,
  repoId: run.repoId,
  worktree: "/w",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 2,
  createdAt: "2026-11-20T10:11:12Z",
  because: "NoLatestPointer",
  nonce: "00ff"
}

/** Commits one line, however often another process is first; creates the run where there is none yet. */
const commit = Effect.fnUntraced(function*(text: string) {
  const log = yield* EventLog
  const events: ReadonlyArray<Event> = [{ _tag: "StepAborted", signal: text }]
  const once = log.read(reviewRun, run).pipe(
    Effect.map(({ head }) => head.seq === 0 ? null : head),
    Effect.catchTag("LogMissing", () => Effect.succeed(null)),
    Effect.flatMap((head) => head === null ? log.create(reviewRun, run, [created, ...events]) : log.append(reviewRun, run, head, events))
  )
  const head = yield* Effect.retry(once, { while: (error) => error._tag === "LogConflict" })
  fs.writeSync(1, `${head.seq} ${text}\n`)
})

const all = Effect.forEach(Array.from({ length: Number(count) }, (_, i) => `${name}${i + 1}`), commit)

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
