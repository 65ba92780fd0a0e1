// program: the unchanged program on the log in PostgreSQL, as the model predicts it; its logs are a file's bytes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer as files } from "../../src/adapters/log/EventLogFile.ts"
import { logFiles } from "../../src/adapters/store/Layout.ts"
import type { RunRef } from "../../src/core/run/Refs.ts"
import { reviewRun } from "../../src/core/run/ReviewRun.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import * as Memory from "../../src/testing/Memory.ts"
import { check } from "../../src/testing/ProgramModel.ts"
import { databaseOf, logIn, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("program")
const role = "program_writer"

/** A log whose runs lie in a store of their own: each machine of the model begins with none. */
const inStore = (log: EventLog["Service"], store: string): EventLog["Service"] => {
  const at = (run: RunRef): RunRef => ({ ...run, root: store })
  return EventLog.of({
    read: (kind, run) => log.read(kind, at(run)),
    readFrom: (kind, run, head) => log.readFrom(kind, at(run), head),
    stream: (kind, run, after) => log.stream(kind, at(run), after),
    create: (kind, run, events) => log.create(kind, at(run), events),
    append: (kind, run, expected, events) => log.append(kind, at(run), expected, events)
  })
}

describe.runIf(installed)("the program on a log in PostgreSQL", () => {
  beforeAll(() => makeStore(url(), role))
  const runtime = ManagedRuntime.make(logIn(url(role)))
  afterAll(() => runtime.dispose())

  it("does what the model predicts, and every log that it wrote is one when it is written into a file", async () => {
    const log = await runtime.runPromise(EventLog)
    let stores = 0
    await check(
      () => Memory.layer({ eventLog: Layer.sync(EventLog, () => inStore(log, `store-${++stores}`)) }),
      50
    )
    const rows = await querying(
      url(),
      (sql) =>
        sql<
          {
            root: string
            repoId: string
            targetKey: string
            runId: string
            seq: number
            hash: string
            bytes: Uint8Array
          }
        >`
        select t.root, t.repo_id as "repoId", t.target_key as "targetKey", r.run_id as "runId", r.seq, r.hash,
               string_agg(l.bytes, ''::bytea order by l.seq) as bytes
        from ooda_target t join ooda_run r on r.target = t.id join ooda_line l on l.run = r.id
        where r.kind = ${reviewRun.kind} group by t.id, r.id`
    )
    assert.isAbove(rows.length, 10)
    const root = mkdtempSync(join(tmpdir(), "ooda-export-"))
    try {
      for (const { bytes, hash, repoId, root: store, runId, seq, targetKey } of rows) {
        const run = { root: join(root, store), repoId, targetKey, runId }
        const names = logFiles(run, reviewRun.kind)
        mkdirSync(dirname(names.log), { recursive: true })
        writeFileSync(names.log, bytes)
        writeFileSync(names.head, JSON.stringify({ seq, hash, offset: bytes.length }))
        const read = await Effect.runPromise(
          Effect.provide(EventLog.use((one) => one.read(reviewRun, run)), files)
        )
        assert.deepStrictEqual(read, await Effect.runPromise(log.read(reviewRun, { ...run, root: store })))
        assert.deepStrictEqual(read.head, { seq, hash })
      }
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})
