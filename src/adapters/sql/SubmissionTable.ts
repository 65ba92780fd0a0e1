// SubmissionTable: the steps of the tables in which submissions get theirs, and who may do what in them.
// They need no table of runs: a pull request is submitted before it has one.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** `ooda_submission`: what was submitted for each target, in the order in which it came. */
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

/** `ooda_pin`: what git told of submissions, and in which clone. It needs the table of submissions. */
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

/** Lets a role submit. It cannot change what was submitted, nor remove it. */
export const letSubmit = (role: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`grant select, insert on ooda_submission, ooda_pin to ${sql(role)}`)
