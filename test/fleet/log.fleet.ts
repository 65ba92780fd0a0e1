// log: the event log on PostgreSQL keeps the laws of every log, written by a role that can change no line.
// What somebody else changed in the tables is refused, as it is in a file.
import { createHash } from "node:crypto"
import { Effect, ManagedRuntime, Stream } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { beginning, type Head } from "../../src/log/StreamKind.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { created, note, shoppingSample } from "../unit/log/samples.ts"
import { outcome, writeLines } from "../unit/log/temporaryLog.ts"
import { answersAsMemory, eventLogLaws } from "../unit/fleet/eventLogLaws.ts"
import { databaseOf, logIn, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("log")
const writer = "log_writer"
let stores = 0
/** A run in a store of its own. */
const fresh = () => onlyRun(`store-${++stores}`)

describe.runIf(installed)("on PostgreSQL", () => {
  beforeAll(() => makeStore(url(), writer))
  const layer = logIn(url(writer))
  const runtime = ManagedRuntime.make(layer)
  afterAll(() => runtime.dispose())
  const log = () => runtime.runPromise(EventLog)

  eventLogLaws(layer, fresh)

  it("a log answers as the one in memory does", async () => {
    const one = await log()
    await answersAsMemory(() => ({ log: one, run: fresh() }))
  })

  /** A log of so many lines, and its store's name. */
  const written = async (count: number) => {
    const run = fresh()
    const heads = await Effect.runPromise(writeLines(await log(), run, count))
    return { run, heads, last: heads.at(-1) ?? beginning }
  }

  it("lines are the bytes that a file would have, each hash over those before it", async () => {
    const { heads, run } = await written(3)
    const rows = await querying(url(), (sql) =>
      sql<{ bytes: Uint8Array; hash: string }>`
        select l.bytes, l.hash from ooda_line l join ooda_run r on l.run = r.id join ooda_target t on r.target = t.id
        where t.root = ${run.root} order by l.seq`)
    assert.deepStrictEqual(rows.map(({ hash }) => hash), heads.map(({ hash }) => hash))
    for (const { bytes, hash } of rows) {
      const text = Buffer.from(bytes).toString("utf8")
      assert.isTrue(text.endsWith(`,"hash":"${hash}"}\n`))
      assert.strictEqual(createHash("sha256").update(text.slice(0, -76)).digest("hex"), hash)
    }
  })

  it("a run is its target's newest from its first line on; further logs of an older run change nothing", async () => {
    const { run } = await written(1)
    const newer = { ...run, runId: `${run.runId}-newer` }
    const latest = () =>
      querying(url(), (sql) => sql<{ latest: string }>`select latest from ooda_target where root = ${run.root}`)
    assert.deepEqual((await latest()).map((row) => row.latest), [run.runId])
    const one = await log()
    await Effect.runPromise(one.create(reviewRun, newer, [created()]))
    await Effect.runPromise(one.create(shoppingSample.kind, run, [shoppingSample.begun]))
    assert.deepInclude(await outcome(one.create(reviewRun, run, [created()])), { _tag: "LogConflict" })
    assert.deepEqual((await latest()).map((row) => row.latest), [newer.runId])
  })

  it("a long log is read and streamed in parts, from anywhere", async () => {
    const { heads, last, run } = await written(140)
    const one = await log()
    const read = (after: Head) => Effect.runPromise(one.readFrom(reviewRun, run, after))
    for (const at of [0, 1, 12, 75, 76, 77, 140]) {
      const after = heads[at - 1] ?? beginning
      const { commits, head } = await read(after)
      assert.deepStrictEqual([commits.length, commits[0]?.seq, head], [140 - at, at < 140 ? at + 1 : undefined, last])
      const parts = Array.from(await Effect.runPromise(Stream.runCollect(one.stream(reviewRun, run, after))))
      assert.deepStrictEqual(parts.flatMap(({ lines }) => lines).map(({ seq }) => seq), commits.map(({ seq }) => seq))
      assert.isTrue(parts.every(({ lines }) => lines.length <= 64))
    }
  })

  it("the role that writes can neither change a line nor remove one", async () => {
    await written(1)
    for (const text of ["update ooda_line set seq = 7", "delete from ooda_line", "truncate ooda_line"]) {
      const refused = await outcome(
        Effect.promise(() => querying(url(writer), (sql) => Effect.flip(sql.unsafe(text)))).pipe(
          Effect.map(({ reason }) => reason._tag)
        )
      )
      assert.strictEqual(refused, "AuthorizationError", text)
    }
  })

  describe("tables changed from outside", () => {
    const found = { _tag: "LogDamaged", line: 2 }
    const cases: ReadonlyArray<readonly [string, string, Readonly<Record<string, unknown>>]> = [
      [
        "a byte",
        "update ooda_line set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) where seq = 2 and",
        { ...found, kind: "bad hash" }
      ],
      ["a hash", "update ooda_line set hash = 'x' where seq = 2 and", { ...found, kind: "bad hash" }],
      ["a missing line", "delete from ooda_line where seq = 2 and", { ...found, kind: "gap" }],
      [
        "a cut line",
        "update ooda_line set bytes = substring(bytes for length(bytes) - 1) where seq = 2 and",
        { ...found, kind: "no newline" }
      ],
      ["a missing end", "delete from ooda_line where seq = 3 and", { _tag: "LogRewound", kind: "rolled back" }],
      ["another head", "update ooda_run set hash = 'x' where id =", { _tag: "LogRewound", kind: "rewritten" }],
      ["an older head", "update ooda_run set seq = 2 where id =", { _tag: "LogRewound", kind: "rolled back" }]
    ]
    it.each(cases)("%s is refused, read or streamed, behind what is sound", async (_, text, refused) => {
      const { heads, last, run } = await written(3)
      const of = `(select r.id from ooda_run r join ooda_target t on r.target = t.id where t.root = '${run.root}')`
      await querying(url(), (sql) => sql.unsafe(text.endsWith("and") ? `${text} run = ${of}` : `${text} ${of}`))
      const one = await log()
      const read = await outcome(one.read(reviewRun, run))
      assert.deepInclude(read, refused)
      if (refused["_tag"] === "LogDamaged") {
        const first = await querying(
          url(),
          (sql) =>
            sql.unsafe<{ bytes: number }>(`select length(bytes) as bytes from ooda_line where seq = 1 and run = ${of}`)
        )
        assert.deepInclude(read, { offset: first[0]?.bytes })
      }
      const seen: Array<number> = []
      const streamed = await outcome(
        Stream.runForEach(
          one.stream(reviewRun, run, beginning),
          ({ lines }) => Effect.sync(() => seen.push(...lines.map(({ seq }) => seq)))
        )
      )
      assert.deepStrictEqual(streamed, read)
      assert.include(seen, 1)
      if (refused["_tag"] === "LogDamaged") assert.deepStrictEqual(seen, [1])
      if (text.startsWith("update ooda_run")) {
        const appended = await outcome(one.append(reviewRun, run, last, [note("4")]))
        assert.deepInclude(appended, { _tag: "LogRewound" })
        assert.lengthOf(heads, 3)
      }
    })
  })
})
