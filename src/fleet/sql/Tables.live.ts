// Tables.live: the tables of a store on PostgreSQL, made step by step, and what a writer of runs may do in them.
// A released step is never changed; another follows it.
import { Effect, Layer } from "effect"
import { fromRecord, make, type MigrationError } from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { DatabaseRefused } from "../../platform/SystemFault.ts"
import { StoreFailed, type StoreReason } from "../../run/RunStore.ts"
import { sqlFault } from "./Database.live.ts"
import { letQueue, queues as openQueues } from "./Queues.live.ts"

/**
 * `ooda_store`, one row: the store's name, the path on every machine below which code is worked on, and whether
 * repositories of these machines may be submitted. `ooda_file`: the files of runs by their paths in a run's directory,
 * with the sha256 of their contents; `packed` ones are gzip. `changed_at` of a run: when its log was last written.
 */
export const files = Effect.flatMap(SqlClient, (sql) =>
  Effect.all([
    sql`create table ooda_store (
      only_one boolean primary key default true check (only_one),
      name text not null,
      work text not null,
      local boolean not null default false,
      made_at timestamptz not null default now()
    )`,
    sql`create table ooda_file (
      target bigint not null references ooda_target,
      run_id text not null,
      path text not null,
      digest text not null,
      packed boolean not null,
      bytes bytea not null,
      primary key (target, run_id, path)
    )`,
    sql`alter table ooda_run add column changed_at timestamptz not null default now()`
  ], { discard: true }))

/** After so many milliseconds of silence, a worker's work is given to another. */
const leases = Effect.flatMap(
  SqlClient,
  (sql) => sql`alter table ooda_store add column lease integer not null default 30000`
)

/** Lets a role keep files and replace them, as on a disk: the log holds the digests of those that are evidence. */
const letKeep = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.all([
      sql`grant select on ooda_store to ${sql(role)}`,
      sql`grant select, insert, update on ooda_file to ${sql(role)}`
    ], { discard: true }))

/**
 * `ooda_attempt`: the state of each attempt. `absent`: it was looked for before it was launched; `fenced`: it never
 * will be. `offered`: it waits for an executor; `leased`: one runs it, the holder of `token`, as its `deliveries`th.
 * `exited`, `lost` and `stopped` are its ends. `silent` and `waiting` in milliseconds. `ooda_target` gets the state of
 * its newest submission, and how the last turn of its run ended.
 */
export const attempts = Effect.flatMap(SqlClient, (sql) =>
  Effect.all([
    sql`create table ooda_attempt (
      id text primary key,
      target bigint not null references ooda_target,
      run_id text not null,
      level text not null,
      batch integer not null,
      slot integer not null,
      attempt integer not null,
      state text not null
        check (state in ('absent', 'fenced', 'offered', 'leased', 'exited', 'lost', 'stopped')),
      launch text,
      machine text,
      token uuid,
      deliveries integer not null default 0,
      silent integer not null default 0,
      waiting integer not null default 0,
      seen_bytes bigint not null default 0,
      status integer,
      deadline boolean not null default false,
      oversize boolean not null default false,
      empty_session boolean not null default false,
      usage text,
      made_at timestamptz not null default now(),
      changed_at timestamptz not null default now(),
      unique (target, run_id, level, batch, slot, attempt)
    )`,
    sql`alter table ooda_target
      add column standing text check (standing in ('Waiting', 'Active', 'Parked', 'Done')),
      add column submission integer,
      add column since timestamptz,
      add column last_run text,
      add column end_header text,
      add column end_code integer`,
    sql`create index ooda_target_active on ooda_target (root) where standing = 'Active'`,
    sql`create index ooda_attempt_under_way on ooda_attempt (target) where state in ('offered', 'leased')`
  ], { discard: true }))

/** A target counts its ended turns and keeps the line where the last one ended, so that a late turn is recognized. */
const newestTurns = Effect.flatMap(
  SqlClient,
  (sql) =>
    sql`alter table ooda_target add column last_seq integer not null default 0,
      add column turns integer not null default 0`
)

/** Lets a role launch attempts and run them. */
const letReview = (role: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`grant select, insert, update on ooda_attempt to ${sql(role)}`)

/** `ooda_submission`: the submissions of each target, in their order. */
export const submissions = Effect.flatMap(SqlClient, (sql) =>
  sql`create table ooda_submission (
    root text not null,
    repo_id text not null,
    target_key text not null,
    seq integer not null,
    head text not null,
    base text not null,
    submission text not null,
    made_at timestamptz not null default now(),
    primary key (root, repo_id, target_key, seq)
  )`)

/** `ooda_pin`: what the commits of submissions show, and in which copy they lie. It refers to the submissions. */
export const pins = Effect.flatMap(SqlClient, (sql) =>
  sql`create table ooda_pin (
    root text not null,
    repo_id text not null,
    target_key text not null,
    seq integer not null,
    pinned text not null,
    made_at timestamptz not null default now(),
    primary key (root, repo_id, target_key, seq),
    foreign key (root, repo_id, target_key, seq) references ooda_submission
  )`)

/** Lets a role submit. It can neither change nor remove submissions. */
const letSubmit = (role: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`grant select, insert on ooda_submission, ooda_pin to ${sql(role)}`)

/** `ooda_account`: how many reviewers may use an account at once on all machines, and until when none may. */
export const accounts = Effect.flatMap(SqlClient, (sql) =>
  sql`create table ooda_account (
    name text primary key,
    cap integer not null check (cap > 0),
    cool_until timestamptz not null default now()
  )`)

/** Lets a role use accounts and pause one. It cannot change how many may use it. */
const letUse = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.all([
      sql`grant select on ooda_account to ${sql(role)}`,
      sql`grant update (cool_until) on ooda_account to ${sql(role)}`
    ], { discard: true }))

/**
 * `ooda_target`: the targets, and the newest run of each. `ooda_run`: the logs of runs, each with the line it ends at,
 * like head.json beside a file; a run has one of each kind. `ooda_line`: their lines, as the hashed bytes.
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

const newestStep = Math.max(...Object.keys(steps).map((name) => parseInt(name, 10)))

const migrate = make({})({ loader: fromRecord(steps), table: "ooda_migration" })

const path = "the tables of the store"
const failed = (reason: DatabaseRefused): StoreFailed => new StoreFailed({ path, reason })

const ofMigration = ({ cause }: MigrationError): DatabaseRefused =>
  isSqlError(cause) ? sqlFault(cause) : { _tag: "DatabaseRefused", why: "other", state: null }

// Effect's queue creates its tables when it is opened; a role that only uses them may not.
const queues = Effect.scoped(Layer.build(openQueues(1000)))

/** Creates missing tables; several machines may do so at once. */
export const makeTables: Effect.Effect<void, StoreFailed, SqlClient> = Effect.andThen(migrate, queues).pipe(
  Effect.asVoid,
  Effect.catchTags({
    SqlError: (error) => failed(sqlFault(error)),
    MigrationError: (error) => failed(ofMigration(error))
  }),
  Effect.withSpan("Tables.makeTables")
)

/** Lets a role of the database write runs. It can neither change nor remove a line. */
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

const refused = (reason: StoreReason) => new StoreFailed({ path: "the store", reason })

// PostgreSQL's error code for a missing right.
const rightMissing = "42501"

/** Whether the tables have this version. Fails if a newer version made them, or set up this user's rights. */
export const isUpToDate = Effect.gen(function*() {
  const sql = yield* SqlClient
  const asked = sql<{ readonly step: number | null }>`select max(migration_id)::integer as step from ooda_migration`
  const [row] = yield* Effect.mapError(asked, (error) => {
    const reason = sqlFault(error)
    return refused(reason.state === rightMissing ? { _tag: "RightMissing" } : reason)
  })
  const step = row?.step ?? 0
  if (step > newestStep) return yield* refused({ _tag: "StoreNewer" })
  return step === newestStep
})

/** Fails unless the tables of a store have this version. */
export const fits = Effect.gen(function*() {
  if (!(yield* isUpToDate)) return yield* refused({ _tag: "DatabaseRefused", why: "unprepared", state: null })
})
