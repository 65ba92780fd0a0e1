// program: the unchanged program on a store in PostgreSQL, as the model predicts it; its logs are a file's bytes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Context, Effect, Layer, ManagedRuntime, Option, Redacted, Ref, Semaphore } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer as files } from "../../src/log/EventLog.live.ts"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { layer as logs } from "../../src/fleet/sql/EventLog.live.ts"
import { keptFiles, pathIn } from "../../src/fleet/sql/KeptFiles.live.ts"
import type { Locked } from "../../src/fleet/sql/Locks.live.ts"
import { reviewFilesLayer as reviewFiles } from "../../src/fleet/sql/Reviewers.live.ts"
import { layer as runStore } from "../../src/fleet/sql/RunStore.live.ts"
import { attemptFiles } from "../../src/run/Layout.live.ts"
import { logFiles } from "../../src/log/LogFile.live.ts"
import type { ReviewRef } from "../../src/run/Refs.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { ReviewFiles } from "../../src/review/ReviewFiles.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import * as Memory from "../../src/testing/Memory.ts"
import { reviewFilesLayer as inMemory } from "../../src/testing/memory/Reviewers.ts"
import { check } from "../../src/testing/model/Commands.ts"
import { World } from "../../src/testing/World.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("program")
const role = "program_writer"

/** What a machine keeps its runs in: the log, the store and the reviews in one database. */
type Stored = EventLog | RunStore | SqlClient

/**
 * Locks of one process. Those of the database have tests of their own: they are waited for, and time is virtual here,
 * so that patience would be over before the first answer.
 */
const locks = (): Locked => {
  const held = new Map<string, Semaphore.Semaphore>()
  return (name, use) => {
    const lock = held.get(name) ?? Semaphore.makeUnsafe(1)
    held.set(name, lock)
    return lock.withPermit(use)
  }
}

const storeAt = (at: string): Layer.Layer<Stored> => {
  // What still lives is in memory; nothing of this asks the store for it.
  const runs = runStore({ locked: locks(), reviewersAlive: () => Effect.succeed(false) })
  return Layer.orDie(Layer.provideMerge(Layer.merge(runs, logs), database(Redacted.make(at))))
}

/**
 * A port whose every call is work under way, so that virtual time stops until the database has answered. Who holds
 * a lock makes such calls; who waits for one sleeps.
 */
const atWork = <S extends object>(service: S): Effect.Effect<S, never, World> =>
  Effect.map(World, ({ busy }) => {
    const counted = (result: unknown): unknown =>
      Effect.isEffect(result)
        ? Effect.acquireUseRelease(
          Ref.update(busy, (n) => n + 1),
          () => result,
          () => Ref.update(busy, (n) => n - 1)
        )
        : result
    return new Proxy(service, {
      get: (of, name) => {
        const found: unknown = Reflect.get(of, name)
        if (typeof found !== "function" || name === "locked") return counted(found)
        return (...args: ReadonlyArray<unknown>) => counted(Reflect.apply(found, of, args))
      }
    })
  })

/** What the reviewers of a machine in memory have left, put into rows as their machine would, and read from there. */
const reviewsIn = (context: Context.Context<Stored>): Layer.Layer<ReviewFiles, never, World> =>
  Layer.effect(
    ReviewFiles,
    Effect.gen(function*() {
      const left = yield* ReviewFiles
      const kept = yield* Effect.provideContext(keptFiles, context)
      const factsOf = Effect.fnUntraced(function*(review: ReviewRef) {
        const begun = Option.getOrNull(yield* Effect.option(left.evidence(review)))
        return { fate: yield* left.fate(review), emptySession: false, usage: begun?.usage ?? null }
      })
      const rows = yield* Effect.map(
        Layer.build(Layer.provide(reviewFiles(factsOf), Layer.succeedContext(context))),
        (built) => Context.get(built, ReviewFiles)
      )
      const keep = Effect.fnUntraced(function*(review: ReviewRef) {
        const begun = Option.getOrNull(yield* Effect.option(left.stored(review, { session: true })))
        if (begun === null) return
        const { evidence: { logHead, out }, journal, status } = begun
        const files = attemptFiles(review)
        const first = journal === null || journal.line === null
          ? []
          : [
            [
              files.journal,
              `attempt ${journal.id} 4194300 1 boot\nline ${journal.line.seq} ${journal.line.hash}\n`
            ] as const
          ]
        const texts = [
          [files.log, `${logHead}${out}`],
          [files.out, out],
          ...first,
          ...status === null ? [] : [[files.exit, `${status}\n`] as const]
        ] as const
        for (const [place, text] of texts) {
          yield* Effect.orDie(kept.keep(review.run, pathIn(review.run, place), Buffer.from(text)))
        }
      })
      return yield* atWork(ReviewFiles.of({
        evidence: (review) => Effect.andThen(keep(review), rows.evidence(review)),
        stored: (review, options) => Effect.andThen(keep(review), rows.stored(review, options)),
        said: (review, options) => Effect.andThen(keep(review), rows.said(review, options)),
        fate: rows.fate
      }))
    })
  ).pipe(Layer.provide(inMemory))

describe.runIf(installed)("the program on PostgreSQL", () => {
  beforeAll(() => makeStore(url(), role))
  const runtime = ManagedRuntime.make(storeAt(url(role)))
  afterAll(() => runtime.dispose())

  it("does what the model predicts, and every log that it wrote is one when it is written into a file", async () => {
    const context = await runtime.context()
    const log = Context.get(context, EventLog)
    const store = Context.get(context, RunStore)
    let stores = 0
    await check(() => {
      // Each machine of the model begins with no runs.
      const name = `store-${++stores}`
      return Memory.layer({
        eventLog: Layer.effect(EventLog, atWork(log)),
        runStore: Layer.effect(
          RunStore,
          atWork({ ...store, open: () => Effect.succeed(name), roots: () => Effect.succeed([name]) })
        ),
        reviewFiles: reviewsIn(context)
      })
    }, 50)
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
  }, 120_000)
})
