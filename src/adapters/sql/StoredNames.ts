// StoredNames: which runs there are in PostgreSQL, by their logs, which one `latest` names, and how one is removed.
// The one rule: a run is there from the first line of its log on, and gone with all it kept in one statement.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { newestFirst, type RunRef, type TargetRef } from "../../core/run/Refs.ts"
import { runIdPattern } from "../../core/run/RunId.ts"
import type { Latest } from "../../services/RunStore.ts"
import { hasTarget } from "./Named.ts"

/** The statements about which runs there are. */
export interface StoredNames {
  /** The name of the store; null where nobody has given it one. */
  readonly name: Effect.Effect<string | null, SqlError>
  readonly latest: (target: TargetRef) => Effect.Effect<Latest, SqlError>
  /** The runs of a target, newest first. */
  readonly runs: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, SqlError>
  /** The runs of a repository, or of every repository of a store, newest first. */
  readonly list: (root: string, repoId: string | null) => Effect.Effect<ReadonlyArray<RunRef>, SqlError>
  /** Makes `latest` of its target name a run. */
  readonly point: (run: RunRef) => Effect.Effect<void, SqlError>
  /** When a log of a run was last written, in epoch milliseconds; null where there is no such run. */
  readonly changedAt: (run: RunRef) => Effect.Effect<number | null, SqlError>
  /** Removes a run, and `latest` with it where `isLatest`, and says whether it was there. */
  readonly remove: (run: RunRef, isLatest: boolean) => Effect.Effect<boolean, SqlError>
}

/** The statements on a database. */
export const storedNames: Effect.Effect<StoredNames, never, SqlClient> = Effect.map(SqlClient, (sql) => {
  const those = (where: ReturnType<typeof hasTarget>) =>
    Effect.map(
      sql<RunRef>`
        select distinct t.root, t.repo_id as "repoId", t.target_key as "targetKey", r.run_id as "runId"
        from ooda_target t join ooda_run r on r.target = t.id where ${where}`,
      (rows) =>
        rows.filter(({ runId }) => runIdPattern.test(runId))
          .map(({ repoId, root, runId, targetKey }): RunRef => ({ root, repoId, targetKey, runId })).sort(newestFirst)
    )

  return {
    name: Effect.map(sql<{ readonly name: string }>`select name from ooda_store`, ([row]) => row?.name ?? null),
    latest: Effect.fnUntraced(function*(target) {
      const [row] = yield* sql<{ readonly latest: string; readonly found: boolean }>`
        select t.latest, exists (select from ooda_run r where r.target = t.id and r.run_id = t.latest) as found
        from ooda_target t where ${hasTarget(sql, target)}`
      const { repoId, root, targetKey } = target
      const pointed: Latest = row === undefined || row.latest === ""
        ? { _tag: "None" }
        : row.found && runIdPattern.test(row.latest)
        ? { _tag: "Run", run: { root, repoId, targetKey, runId: row.latest } }
        : { _tag: "Dangling" }
      return pointed
    }),
    runs: (target) => those(hasTarget(sql, target)),
    list: (root, repoId) =>
      those(repoId === null ? sql`t.root = ${root}` : sql`t.root = ${root} and t.repo_id = ${repoId}`),
    point: ({ repoId, root, runId, targetKey }) =>
      Effect.asVoid(sql`
        insert into ooda_target (root, repo_id, target_key, latest) values (${root}, ${repoId}, ${targetKey}, ${runId})
        on conflict (root, repo_id, target_key) do update set latest = excluded.latest`),
    changedAt: (run) =>
      Effect.map(
        sql<{ readonly at: number | null }>`
          select (extract(epoch from max(r.changed_at)) * 1000)::float8 as at
          from ooda_target t join ooda_run r on r.target = t.id
          where ${hasTarget(sql, run)} and r.run_id = ${run.runId}`,
        ([row]) => row?.at ?? null
      ),
    remove: (run, isLatest) =>
      Effect.map(
        sql`
          with logs as (
            select r.id, r.target from ooda_target t join ooda_run r on r.target = t.id
            where ${hasTarget(sql, run)} and r.run_id = ${run.runId}
          ), pointer as (
            update ooda_target set latest = '' where ${isLatest} and id in (select target from logs)
          ), files as (
            delete from ooda_file where run_id = ${run.runId} and target in (select target from logs)
          ), lines as (
            delete from ooda_line where run in (select id from logs)
          )
          delete from ooda_run where id in (select id from logs) returning id`,
        (rows) => rows.length > 0
      )
  }
})
