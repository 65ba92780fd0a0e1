// AccountTable: the step of the tables in which accounts get theirs: what reviewers log in with, and for how many.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** `ooda_account`: how many reviewers may use an account at once over all machines, and until when nobody may. */
export const accounts = Effect.flatMap(SqlClient, (sql) =>
  sql`create table ooda_account (
    name text primary key,
    cap integer not null check (cap > 0),
    cool_until timestamptz not null default now()
  )`)

/** Lets a role use accounts, and leave one alone for a while. How many may use it is not the role's to say. */
export const letUse = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.all([
      sql`grant select on ooda_account to ${sql(role)}`,
      sql`grant update (cool_until) on ooda_account to ${sql(role)}`
    ], { discard: true }))
