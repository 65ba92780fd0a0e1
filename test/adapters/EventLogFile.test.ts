// The live event log on a real file system: committing, reading, conflicts.
// The one rule: every test works in a directory of its own and removes it.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Cause, Effect, Exit } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { layer } from "../../src/adapters/EventLogFile.ts"
import type { Event } from "../../src/core/Event.ts"
import { EventLog } from "../../src/services/EventLog.ts"

let root = ""
let run = ""

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-log-"))
  run = path.join(root, "run")
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const created: Event = {
  _tag: "RunCreated",
  runId: "20261120T101112Z-000000001-p7",
  repoId: "repo",
  worktree: "/w",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 2,
  createdAt: "2026-11-20T10:11:12Z",
  because: "NoLatestPointer",
  nonce: "00ff"
}
const aborted = (signal: string): Event => ({ _tag: "StepAborted", signal })

const go = <A, E>(use: (log: EventLog["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(EventLog.use(use).pipe(Effect.provide(layer)))

describe("EventLogFile", () => {
  it("reads what it committed, in order, from the beginning and from a head", async () => {
    const contents = await go((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(run, [created])
        const second = yield* log.append(run, first, [aborted("SIGTERM")])
        yield* log.append(run, second, [aborted("SIGHUP"), aborted("SIGINT")])
        return { all: yield* log.read(run), later: yield* log.readFrom(run, first) }
      })
    )
    assert.deepStrictEqual(contents.all.commits.map((c) => [c.seq, c.events.length]), [[1, 1], [2, 1], [3, 2]])
    assert.deepStrictEqual(contents.later.commits, contents.all.commits.slice(1))
    assert.strictEqual(contents.all.torn, 0)
    assert.strictEqual(fs.statSync(run).mode & 0o777, 0o700)
    for (const name of fs.readdirSync(run)) assert.strictEqual(fs.statSync(path.join(run, name)).mode & 0o777, 0o600)
  })

  it("lets exactly one of two decisions from the same head commit", async () => {
    const exit = await go((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(run, [created])
        return yield* Effect.all(
          [Effect.exit(log.append(run, first, [aborted("SIGTERM")])), Effect.exit(log.append(run, first, [aborted("SIGHUP")]))],
          { concurrency: 2 }
        )
      })
    )
    assert.strictEqual(exit.filter(Exit.isSuccess).length, 1)
    const failure = exit.filter(Exit.isFailure).map((e) => Cause.squash(e.cause))[0]
    assert.include(failure, { _tag: "LogConflict", expected: 1, actual: 2 })
  })
})
