// Tables: the tables of a store on PostgreSQL, made step by step, and what whoever writes runs may do in them.
// The one rule: a step that was released is never changed; another follows it.
import { Effect, Layer } from "effect"
import { fromRecord, make, type MigrationError } from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { StoreFailed } from "../../services/RunStore.ts"
import type { DatabaseRefused } from "../../services/SystemFault.ts"
import { attempts, letReview, newestTurns } from "./AttemptTable.ts"
import { accounts, letUse } from "./AccountTable.ts"
import { files, leases, letKeep } from "./FileTable.ts"
import { letQueue, queues as openQueues } from "./FleetQueues.ts"
import { sqlFault } from "./SqlFaults.ts"
import { letSubmit, pins, submissions } from "./SubmissionTable.ts"

/**
 * `ooda_target`: the targets, and the newest run of each. `ooda_run`: the logs of runs, each with the line it ends at,
 * as head.json has it beside a file; a run has one of each kind. `ooda_line`: their lines, as the hashed bytes.
 */
const logs = Effect.flatMap(SqlClient, (sql) =>
  Effect.all([
    sql`create table ooda_target (
      id bigint generated always as identity primary key,
      root text not null,
      repo_id text not null,
      target_key text not null,
      latest text not null,
      unique (root, repo_id, target_key)
    )`,
    sql`create table ooda_run (
      id bigint generated always as identity primary key,
      target bigint not null references ooda_target,
      run_id text not null,
      kind text not null,
      seq integer not null,
      hash text not null,
      unique (target, run_id, kind)
    )`,
    sql`create table ooda_line (
      run bigint not null references ooda_run,
      seq integer not null,
      hash text not null,
      bytes bytea not null,
      primary key (run, seq)
    )`
  ], { discard: true }))

const steps = {
  "1_logs": logs,
  "2_files": files,
  "4_submissions": submissions,
  "5_pins": pins,
  "6_attempts": attempts,
  "7_accounts": accounts,
  "8_leases": leases,
  "9_newest_turns": newestTurns
}

/** The number of the newest step. */
export const newestStep = Math.max(...Object.keys(steps).map((name) => parseInt(name, 10)))

const migrate = make({})({ loader: fromRecord(steps), table: "ooda_migration" })

const path = "the tables of the store"
const failed = (reason: DatabaseRefused): StoreFailed => new StoreFailed({ path, reason })

const ofMigration = ({ cause }: MigrationError): DatabaseRefused =>
  isSqlError(cause) ? sqlFault(cause) : { _tag: "DatabaseRefused", why: "other", state: null }

// Effect's queue makes its tables where it is opened, which whoever only works with them may not do.
const queues = Effect.scoped(Layer.build(openQueues(1000)))

/** Makes the tables that are not there yet; several machines may do so at once. */
export const makeTables: Effect.Effect<void, StoreFailed, SqlClient> = Effect.andThen(migrate, queues).pipe(
  Effect.asVoid,
  Effect.catchTags({
    SqlError: (error) => failed(sqlFault(error)),
    MigrationError: (error) => failed(ofMigration(error))
  }),
  Effect.withSpan("Tables.makeTables")
)

/** Lets a role of the database write runs. It cannot change a line, nor remove one. */
export const letWrite = Effect.fn("Tables.letWrite")(function*(role: string) {
  const sql = yield* SqlClient
  const [known] = yield* Effect.mapError(
    sql`select 1 from pg_roles where rolname = ${role}`,
    (error) => failed(sqlFault(error))
  )
  if (known === undefined) return yield* new StoreFailed({ path, reason: { _tag: "RoleUnknown", name: role } })
  const grants = [
    sql`grant select on ooda_migration to ${sql(role)}`,
    sql`grant select, insert, update on ooda_target, ooda_run to ${sql(role)}`,
    sql`grant select, insert on ooda_line to ${sql(role)}`,
    letKeep(role),
    letSubmit(role),
    letReview(role),
    letUse(role),
    letQueue(role)
  ]
  yield* Effect.mapError(Effect.all(grants, { discard: true }), (error) => failed(sqlFault(error)))
})
