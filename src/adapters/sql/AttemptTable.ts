// AttemptTable: the step of the tables in which the attempts at reviews get theirs, and who may do what in it.
// It needs the tables of logs: an attempt is one of a run of a target.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * `ooda_attempt`: what is known of each attempt. `absent`: its intent was looked for before it was launched; `fenced`:
 * it never will be. `offered`: it waits for an executor; `leased`: one runs it, the holder of `token`, who was given it
 * as the `deliveries`th. `exited`, `lost` and `stopped` are its ends. `silent` and `waiting` in milliseconds. A target
 * tells where it stands with its newest submission, and how the last turn of its run ended.
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

/**
 * A target tells how many turns have ended, and at which line of its run's log the last one did, so that a turn that
 * comes late is known by it.
 */
export const newestTurns = Effect.flatMap(
  SqlClient,
  (sql) =>
    sql`alter table ooda_target add column last_seq integer not null default 0,
      add column turns integer not null default 0`
)

/** Lets a role launch attempts and run them. */
export const letReview = (role: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`grant select, insert, update on ooda_attempt to ${sql(role)}`)
