// FleetTargets.live: the state of submitted targets in rows, and the queues that move them on.
// The state of a target and its queue entries change in one transaction, so that none is forgotten.
import { Effect, Layer, Schema } from "effect"
import { PersistedQueueFactory } from "effect/persistence/PersistedQueue"
import { SqlClient } from "effect/sql/SqlClient"
import type { TargetRef } from "../../log/Refs.ts"
import { reviewRun } from "../../run/ReviewRun.ts"
import { failedCode, FleetTargetState, type FleetTarget, FleetTargets } from "../FleetTargets.ts"
import { inTransaction, storeFailure } from "./Database.live.ts"
import { offerBegin, offerTurn } from "./Queues.live.ts"

/** The condition that selects the row `t` of a target. */
export const hasTarget = (sql: SqlClient, { repoId, root, targetKey }: TargetRef) =>
  sql`t.root = ${root} and t.repo_id = ${repoId} and t.target_key = ${targetKey}`

const path = "the targets of the fleet"
const asked = storeFailure(path)

interface Row extends TargetRef {
  readonly submission: number
  readonly head: string | null
  readonly turns: number
  readonly standing: string
  readonly since: number
  readonly run: string | null
  readonly moved: boolean
  readonly header: string | null
  readonly code: number | null
}

const isStanding = Schema.is(FleetTargetState)

const targetOf = (
  { code, head, header, moved, repoId, root, run, since, standing, submission, targetKey, turns }: Row
): FleetTarget => ({
  target: { root, repoId, targetKey },
  submission,
  head,
  turns,
  standing: isStanding(standing) ? standing : "Parked",
  since,
  run,
  moved,
  end: header === null || code === null ? null : { header, code }
})

/** The layer. The tables must exist. */
export const layer: Layer.Layer<FleetTargets, never, SqlClient | PersistedQueueFactory> = Layer.effect(
  FleetTargets,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const queues = yield* PersistedQueueFactory
    const offering = Effect.provideService(PersistedQueueFactory, queues)
    const moved = sql`exists(
      select from ooda_run r where r.target = t.id and r.run_id = t.latest and r.kind = ${reviewRun.kind}
        and (t.last_run is distinct from t.latest or r.seq > t.last_seq))`
    const rows = (where: ReturnType<typeof hasTarget>) =>
      sql<Row>`
        select t.root, t.repo_id as "repoId", t.target_key as "targetKey", t.submission, t.turns, t.standing,
          (extract(epoch from t.since) * 1000)::float8 as since, t.last_run as run, t.end_header as header,
          t.end_code as code, s.head, ${moved} as moved
        from ooda_target t left join ooda_submission s
          on s.root = t.root and s.repo_id = t.repo_id and s.target_key = t.target_key and s.seq = t.submission
        where ${where} and t.standing is not null order by t.since desc`

    const wakeMoved = Effect.fnUntraced(function*(root: string) {
      const found = yield* sql<TargetRef & { readonly latest: string; readonly seq: number }>`
        select t.root, t.repo_id as "repoId", t.target_key as "targetKey", t.latest, r.seq
        from ooda_target t join ooda_run r on r.target = t.id and r.run_id = t.latest
        where t.root = ${root} and r.kind = ${reviewRun.kind} and t.standing in ('Parked', 'Done') and ${moved}`
      for (const { latest, seq, ...target } of found) yield* offering(offerTurn(target, `mark ${latest} ${seq}`))
      return found.length
    })

    const enqueue = Effect.fnUntraced(function*(target: TargetRef, submission: number) {
      const { repoId, root, targetKey } = target
      const [row] = yield* sql<{ readonly standing: string; readonly since: string }>`
        insert into ooda_target (root, repo_id, target_key, latest, standing, submission, since)
        values (${root}, ${repoId}, ${targetKey}, '', 'Waiting', ${submission}, now())
        on conflict (root, repo_id, target_key) do update set submission = excluded.submission, since = now(),
          standing = case when ooda_target.standing = 'Active' then 'Active' else 'Waiting' end
        where coalesce(ooda_target.submission, 0) < excluded.submission or (
          ooda_target.submission = excluded.submission and ooda_target.standing = 'Parked'
          and ooda_target.end_code = ${failedCode}
        ) returning standing, since::text as since`
      if (row === undefined) return false
      // A target that is queued again needs a new offer.
      const why = `submission ${submission} of ${repoId} ${targetKey} since ${row.since}`
      yield* offering(row.standing === "Active" ? offerTurn(target, why) : offerBegin(target, why))
      return true
    })

    const begin = Effect.fnUntraced(function*(target: TargetRef) {
      const [row] = yield* sql<{ readonly since: string }>`
        update ooda_target t set standing = 'Active', since = now()
        where ${hasTarget(sql, target)} and standing = 'Waiting' returning since::text as since`
      // No one else would take it: an active target is not started again, and counts as active.
      if (row !== undefined) {
        yield* offering(offerTurn(target, `begin of ${target.repoId} ${target.targetKey} at ${row.since}`))
      }
    })

    return FleetTargets.of({
      enqueue: Effect.fn("FleetTargets.enqueue")((target, submission) =>
        asked(inTransaction(sql, enqueue(target, submission)))
      ),
      begin: Effect.fn("FleetTargets.begin")((target) => asked(inTransaction(sql, begin(target)))),
      turned: Effect.fn("FleetTargets.turned")((target, { end: { code, header }, run, standing, submission, turns }) =>
        asked(Effect.asVoid(sql`
          update ooda_target t set turns = turns + 1, last_run = coalesce(${run?.id ?? null}, last_run),
            last_seq = coalesce(${run?.seq ?? null}, last_seq), end_header = ${header}, end_code = ${code},
            since = case when standing = ${standing} then since else now() end, standing = ${standing}
          where ${hasTarget(sql, target)} and submission <= ${submission} and (
            ${run === null} and t.turns = ${turns}
            or t.latest = ${run?.id ?? ""} and (t.last_run is distinct from t.latest or t.last_seq <= ${run?.seq ?? 0})
          )`))
      ),
      wakeLater: Effect.fn("FleetTargets.wakeLater")((target, why, delay) =>
        asked(offering(offerTurn(target, why, delay)))
      ),
      wakeMoved: Effect.fn("FleetTargets.wakeMoved")((root) => asked(wakeMoved(root))),
      active: Effect.fn("FleetTargets.active")((root) =>
        asked(Effect.map(
          sql<{ readonly active: number }>`
            select count(*)::integer as active from ooda_target where root = ${root} and standing = 'Active'`,
          ([row]) => row?.active ?? 0
        ))
      ),
      of: Effect.fn("FleetTargets.of")((target) =>
        asked(Effect.map(rows(hasTarget(sql, target)), ([row]) => row === undefined ? null : targetOf(row)))
      ),
      all: Effect.fn("FleetTargets.all")((root) =>
        asked(Effect.map(rows(sql`t.root = ${root}`), (all) => all.map(targetOf)))
      )
    })
  })
)
