// runs: the store of runs on PostgreSQL keeps the laws of every store, written by a role that can remove none.
// What somebody else changed in the tables is found by its bytes.
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { layer as logs } from "../../src/fleet/sql/EventLog.live.ts"
import { keptFiles } from "../../src/fleet/sql/KeptFiles.live.ts"
import { lockSession } from "../../src/fleet/sql/Locks.live.ts"
import { layer } from "../../src/fleet/sql/RunStore.live.ts"
import { attemptFiles } from "../../src/run/Layout.live.ts"
import { textName } from "../../src/run/LongText.ts"
import type { RunRef } from "../../src/log/Refs.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { note } from "../unit/log/samples.ts"
import { begin, runStoreLaws } from "../unit/fleet/runStoreLaws.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("runs")
const writer = "run_writer"
let stores = 0
const fresh = (): RunRef => onlyRun(`pg:${++stores}`)

/** A store at a URL, with a session for locks. */
const storeAt = (at: string) =>
  Layer.unwrap(
    Effect.map(lockSession(), ({ locked }) =>
      Layer.merge(layer({ locked, reviewersAlive: () => Effect.succeed(false) }), logs))
  ).pipe(Layer.provideMerge(database(Redacted.make(at))), Layer.orDie)

describe.runIf(installed)("on PostgreSQL", () => {
  beforeAll(() => makeStore(url(), writer))
  const runtimes = { owner: ManagedRuntime.make(storeAt(url())), writer: ManagedRuntime.make(storeAt(url(writer))) }
  afterAll(() => Promise.all(Object.values(runtimes).map((runtime) => runtime.dispose())))
  const as = (who: keyof typeof runtimes) => <A, E>(use: Effect.Effect<A, E, RunStore | EventLog | SqlClient>) =>
    runtimes[who].runPromise(use)
  const [go, asOwner] = [as("writer"), as("owner")]

  // The laws remove runs, which the role that writes may not.
  runStoreLaws(
    Layer.effectContext(Effect.promise(() => runtimes.owner.context())),
    fresh
  )

  it("a store has the name that it was given, and no other root", async () => {
    const open = (root: string | null) => go(Effect.result(RunStore.use((store) => store.open(root, "/"))))
    const named = (root: string | null) =>
      open(root).then((result) => result._tag === "Success" ? result.success : result.failure.message)
    assert.match(await named(null), /^the store: the database lacks the tables of this version/)
    await querying(url(), (sql) => sql`insert into ooda_store (name, work) values ('pg:00ff', '/work')`)
    assert.deepStrictEqual(await Promise.all([null, "pg:00ff", "/state"].map(named)), [
      "pg:00ff",
      "pg:00ff",
      "the store: a store in a database has no state root [leave out --state-root]"
    ])
    const second = querying(url(), (sql) => Effect.flip(sql`insert into ooda_store (name, work) values ('x', '/')`))
    assert.strictEqual((await second).reason._tag, "UniqueViolation")
  })

  it("documents lie under the paths of a file store, and a later one is in the place of an earlier", async () => {
    const run = fresh()
    const found = await go(Effect.gen(function*() {
      yield* begin(run)
      const store = yield* RunStore
      for (const text of ["first", "second"]) {
        yield* store.writeFindings({ run, level: "high", batch: 2 }, text)
        yield* store.writeHistory(run, `${text} history`)
      }
      const files = yield* keptFiles
      return yield* Effect.forEach(
        ["levels/level-high/batch-2/findings.md", "history.md", "none.md"],
        (path) => Effect.map(files.bytes(run, path), (bytes) => bytes?.toString() ?? null)
      )
    }))
    assert.deepStrictEqual(found, ["second", "second history", null])
  })

  it("a text that was rewritten from outside is not the stored one, whatever the digest beside it says", async () => {
    const run = fresh()
    const text = "what a reviewer said"
    const [kept, before] = await go(Effect.gen(function*() {
      yield* begin(run)
      const store = yield* RunStore
      return [yield* store.keepText(run, text), yield* store.keeps(run, text)] as const
    }))
    assert.isTrue(before)
    await querying(url(), (sql) =>
      sql`update ooda_file set bytes = 'what anybody said' where run_id = ${run.runId}
      and target = (select id from ooda_target where root = ${run.root})`)
    const after = await go(
      RunStore.use((store) => Effect.all([store.keeps(run, text), store.digest(run, textName(kept.hex))]))
    )
    assert.isFalse(after[0])
    assert.notStrictEqual(after[1]?.hex, kept.hex)
  })

  it("transcripts are stored small, cut at both ends unless their attempt is open, and counted", async () => {
    const run = fresh()
    const review = { run, level: "low", batch: 1, slot: 1, attempt: 1 } as const
    const log = attemptFiles(review).log.slice(attemptFiles(review).log.indexOf("levels/"))
    const transcript = Buffer.from("a line of a transcript\n".repeat(40_000))
    const [open, dry, usage, freed, again, left] = await go(Effect.gen(function*() {
      yield* begin(run)
      const [store, files] = [yield* RunStore, yield* keptFiles]
      yield* files.keep(run, log, transcript)
      const cut = (state: "Open" | "Reviewed", dryRun: boolean) => store.cutTranscripts([{ review, state }], { dryRun })
      return [
        yield* cut("Open", false),
        yield* cut("Reviewed", true),
        yield* store.usage(run.root),
        yield* cut("Reviewed", false),
        yield* cut("Reviewed", false),
        yield* files.bytes(run, log)
      ] as const
    }))
    assert.deepStrictEqual([open, again, freed], [0, 0, dry])
    assert.strictEqual(transcript.length - freed, left?.length)
    assert.isBelow(left?.length ?? 0, 140_000)
    assert.isTrue(left?.subarray(0, 60_000).equals(transcript.subarray(0, 60_000)))
    assert.isTrue(left?.subarray(-60_000).equals(transcript.subarray(-60_000)))
    assert.strictEqual(usage.largest?.path, attemptFiles(review).log)
    assert.isBelow(usage.largest?.bytes ?? Infinity, 50_000)
    assert.isAbove(usage.bytes, usage.largest?.bytes ?? 0)
  })

  it("a run changes when its log does", async () => {
    const run = fresh()
    const at = await go(Effect.andThen(begin(run), RunStore.use((store) => store.look(run))))
    assert.closeTo(at.changedAt, Date.now(), 60_000)
    await querying(url(), (sql) =>
      sql`update ooda_run set changed_at = now() - interval '1 hour'
      where run_id = ${run.runId}`)
    const [past, then] = await go(Effect.gen(function*() {
      const [store, log] = [yield* RunStore, yield* EventLog]
      const past = yield* store.look(run)
      const { head } = yield* log.read(reviewRun, run)
      yield* log.append(reviewRun, run, head, [note("more")])
      return [past, yield* store.look(run)] as const
    }))
    assert.isBelow(past.changedAt, at.changedAt - 3_000_000)
    assert.isAtLeast(then.changedAt, at.changedAt)
    const missing = await go(RunStore.use((store) => Effect.flip(store.look(fresh()))))
    assert.deepStrictEqual(missing.reason, { _tag: "NotARun" })
  })

  it("the role that writes removes no run, and what it was refused left everything", async () => {
    const run = fresh()
    const remove = RunStore.use((store) => Effect.flip(store.remove(run, { isLatest: true })))
    const [refused, runs, latest] = await go(Effect.gen(function*() {
      yield* begin(run)
      const refused = yield* remove
      const store = yield* RunStore
      return [refused, yield* store.runs(run), yield* store.latest(run)] as const
    }))
    assert.match(refused.message, /the database refused this user/)
    assert.deepStrictEqual([runs, latest], [[run], { _tag: "Run", run }])
    const missing = await asOwner(RunStore.use((store) => Effect.flip(store.remove(fresh(), { isLatest: true }))))
    assert.deepStrictEqual(missing.reason, { _tag: "NotARun" })
  })
})
