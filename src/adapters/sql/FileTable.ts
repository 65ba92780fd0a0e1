// FileTable: the step of the tables in which a store gets its name, and runs get what they keep beside their logs.
// It needs the tables of logs: a file is one of a run of a target.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * `ooda_store`: the store's name, the path on every machine below which code is worked on, and whether repositories of
 * these machines may be submitted: one row. `ooda_file`: the files of runs by their paths in a run's directory, with
 * the sha256 of what they hold; `packed` ones are gzip. A log tells when it was last written.
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

/** After how many milliseconds of silence the work of any worker is another's. */
export const leases = Effect.flatMap(
  SqlClient,
  (sql) => sql`alter table ooda_store add column lease integer not null default 30000`
)

/** Lets a role keep files and replace them, as a disk does: the log holds the digests of those that are evidence. */
export const letKeep = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.all([
      sql`grant select on ooda_store to ${sql(role)}`,
      sql`grant select, insert, update on ooda_file to ${sql(role)}`
    ], { discard: true }))
