// FleetStore.live: the setup of a fleet, in one row, and what its tables hold of a run.
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { RunRef } from "../../log/Refs.ts"
import { type FleetFacts, FleetStore, type FleetSetup } from "../FleetStore.ts"
import { StoreFailed, type StoreReason } from "../../run/RunStore.ts"
import { workPath } from "../../run/Layout.live.ts"
import { runDirectory } from "../../log/LogFile.live.ts"
import { nonce } from "../../run/RunNames.live.ts"
import { unpack } from "./KeptFiles.live.ts"
import { setAccount } from "./Locks.live.ts"
import { hasTarget } from "./FleetTargets.live.ts"
import { ownSessions, storeFailure } from "./Database.live.ts"
import { fits, isUpToDate, letWrite, makeTables } from "./Tables.live.ts"

// Milliseconds.
const usualLease = 30_000

const path = "the store"
const asked = storeFailure(path)
const refused = (reason: StoreReason) => Effect.fail(new StoreFailed({ path, reason }))
const unprepared = { _tag: "DatabaseRefused", why: "unprepared", state: null } as const
const isUnprepared = ({ reason }: StoreFailed) => reason._tag === "DatabaseRefused" && reason.why === "unprepared"

export const layer: Layer.Layer<FleetStore, never, SqlClient> = Layer.effect(
  FleetStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const onSql = Effect.provideService(SqlClient, sql)

    /** Fails if sessions do not last, or if a crash of the server may lose acknowledged commits. */
    const dependable = Effect.gen(function*() {
      yield* asked(onSql(ownSessions))
      const settings = yield* asked(sql<{ readonly name: string; readonly setting: string }>`
        select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')`)
      const off = settings.find(({ setting }) => setting === "off")
      if (off !== undefined) return yield* refused({ _tag: "NotDurable", setting: off.name })
    })

    const recorded = Effect.map(
      asked(sql<FleetFacts>`select name, work, local, lease from ooda_store`),
      ([row]) => row ?? null
    )

    const facts = Effect.gen(function*() {
      yield* dependable
      yield* onSql(fits)
      return (yield* recorded) ?? (yield* refused(unprepared))
    })

    return FleetStore.of({
      setUp: Effect.fn("FleetStore.setUp")(function*({ account, lease, local, writer, ...given }: FleetSetup) {
        const work = given.work === null ? null : workPath(given.work)
        yield* dependable
        yield* Effect.catchIf(onSql(isUpToDate), isUnprepared, () => Effect.succeed(false))
        yield* onSql(makeTables)
        if (writer !== null) yield* onSql(letWrite(writer))
        if (account !== null) yield* onSql(setAccount(account.name, account.cap))
        const before = yield* recorded
        if (before !== null && work !== null && work !== before.work) {
          return yield* refused({ _tag: "WorkRecorded", work: before.work })
        }
        if (before !== null) {
          yield* asked(sql`
            update ooda_store set lease = coalesce(${lease}, lease), local = local or ${local}`)
          return { ...yield* facts, isNew: false }
        }
        if (work === null) return yield* refused({ _tag: "WorkUnknown" })
        const name = `pg:${(yield* nonce).slice(0, 16)}`
        yield* asked(sql`
          insert into ooda_store (name, work, local, lease)
          values (${name}, ${work}, ${local}, ${lease ?? usualLease}) on conflict do nothing`)
        return { ...yield* facts, isNew: true }
      }),
      facts: Effect.withSpan(facts, "FleetStore.facts"),
      contents: Effect.fn("FleetStore.contents")((run: RunRef) =>
        Effect.gen(function*() {
          const [target] = yield* sql<{ readonly latest: string }>`
            select t.latest from ooda_target t where ${hasTarget(sql, run)}`
          const logs = yield* sql<
            { readonly kind: string; readonly seq: number; readonly hash: string; readonly bytes: Uint8Array }
          >`
            select r.kind, r.seq, r.hash, string_agg(l.bytes, ''::bytea order by l.seq) as bytes
            from ooda_target t join ooda_run r on r.target = t.id join ooda_line l on l.run = r.id
            where ${hasTarget(sql, run)} and r.run_id = ${run.runId} group by r.id`
          const files = yield* sql<{ readonly path: string; readonly packed: boolean; readonly bytes: Uint8Array }>`
            select f.path, f.packed, f.bytes from ooda_target t join ooda_file f on f.target = t.id
            where ${hasTarget(sql, run)} and f.run_id = ${run.runId} order by f.path`
          return {
            run,
            isLatest: target?.latest === run.runId,
            logs: logs.map(({ bytes, hash, kind, seq }) => ({ kind, head: { seq, hash }, bytes: Buffer.from(bytes) })),
            files: files.map(({ bytes, packed, path }) => ({
              path,
              bytes: packed ? unpack(bytes) : Buffer.from(bytes)
            }))
          }
        }).pipe(storeFailure(runDirectory(run)))
      )
    })
  })
)
