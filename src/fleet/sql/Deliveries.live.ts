// Deliveries.live: deliveries in PostgreSQL, each under a token that only the newest holder has.
// The files of a review, its end and the wake-up of its run are one transaction under its token.
import { Effect, Layer, Schema } from "effect"
import { PersistedQueueFactory } from "effect/persistence/PersistedQueue"
import { SqlClient } from "effect/sql/SqlClient"
import type { AttemptRef } from "../../run/Refs.ts"
import { Level } from "../../run/Level.ts"
import { Usage } from "../../run/Usage.ts"
import { Deliveries, type Delivery } from "../Deliveries.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import { newAttemptId } from "../../run/RunNames.live.ts"
import { offerTurn } from "./Queues.live.ts"
import { keptFiles } from "./KeptFiles.live.ts"
import { launchIn } from "./Reviewers.live.ts"
import { inTransaction, storeFailure } from "./Database.live.ts"

// A review whose machine dies this often is the likely cause.
const mostDeliveries = 3

const usageText = Schema.encodeSync(Schema.fromJsonString(Usage))
const rung = Schema.decodeUnknownEffect(Level)

const path = "the reviews of the fleet"
const odd = new StoreFailed({ path, reason: { _tag: "DatabaseRefused", why: "other", state: null } })
const asked = storeFailure(path)

interface Row {
  readonly root: string
  readonly repoId: string
  readonly targetKey: string
  readonly runId: string
  readonly level: string
  readonly batch: number
  readonly slot: number
  readonly attempt: number
  readonly launch: string
  readonly deliveries: number
  readonly state: string
}

/** The layer. The tables must exist. */
export const layer: Layer.Layer<Deliveries, never, SqlClient | PersistedQueueFactory> = Layer.effect(
  Deliveries,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const queues = yield* PersistedQueueFactory
    const files = yield* keptFiles
    const woken = ({ attempt: { id, run } }: Pick<Delivery, "attempt">, why = `end of ${id}`) =>
      Effect.provideService(offerTurn(run, why), PersistedQueueFactory, queues)

    const take = Effect.fnUntraced(function*(id: string, machine: string) {
      const token = yield* newAttemptId
      const [row] = yield* sql<Row>`
        update ooda_attempt a set
          state = case when a.deliveries < ${mostDeliveries} then 'leased' else 'lost' end,
          machine = ${machine}, token = ${token}, deliveries = a.deliveries + 1,
          silent = 0, waiting = 0, seen_bytes = 0, changed_at = now()
        from ooda_target t
        where a.id = ${id} and a.target = t.id and a.state in ('offered', 'leased')
        returning t.root, t.repo_id as "repoId", t.target_key as "targetKey", a.run_id as "runId", a.level, a.batch,
          a.slot, a.attempt, a.launch, a.deliveries, a.state`
      if (row === undefined) return null
      const { attempt, batch, deliveries, launch, repoId, root, runId, slot, state, targetKey } = row
      const level = yield* Effect.mapError(rung(row.level), () => odd)
      const ref: AttemptRef = { run: { root, repoId, targetKey, runId }, level, batch, slot, attempt, id }
      if (state === "lost") {
        yield* woken({ attempt: ref })
        return null
      }
      const found = yield* Effect.mapError(launchIn(launch), () => odd)
      return { attempt: ref, launch: found, token, number: deliveries } satisfies Delivery
    })

    const holds = ({ attempt: { id }, token }: Delivery) => sql`id = ${id} and token = ${token} and state = 'leased'`

    return Deliveries.of({
      take: Effect.fn("Deliveries.take")((id, machine) => asked(inTransaction(sql, take(id, machine)))),
      seen: Effect.fn("Deliveries.seen")((delivery, { bytes, silentFor, waitingForNetwork }, overdue) =>
        asked(Effect.gen(function*() {
          const rows = yield* sql`
            update ooda_attempt set silent = ${Math.round(silentFor)}, waiting = ${Math.round(waitingForNetwork)},
              seen_bytes = ${bytes}, changed_at = now()
            where ${holds(delivery)} returning id`
          if (overdue) yield* woken(delivery, `silence of ${delivery.attempt.id} at ${bytes} bytes`)
          return rows.length > 0
        }))
      ),
      ended: Effect.fn("Deliveries.ended")((delivery, { emptySession, files: left, state, usage }) =>
        asked(inTransaction(
          sql,
          Effect.gen(function*() {
            const exit = state._tag === "Exited" ? state : null
            const held = yield* sql`
            update ooda_attempt set state = ${state._tag === "Exited" ? "exited" : "lost"},
              status = ${exit?.status ?? null}, deadline = ${exit?.deadline ?? false},
              oversize = ${exit?.oversize ?? false}, empty_session = ${emptySession},
              usage = ${usage === null ? null : usageText(usage)}, changed_at = now()
            where ${holds(delivery)} returning id`
            if (held.length === 0) return false
            for (const { bytes, path } of left) yield* files.keep(delivery.attempt.run, path, bytes)
            yield* woken(delivery)
            return true
          })
        ))
      ),
      returned: Effect.fn("Deliveries.returned")((delivery) =>
        asked(Effect.asVoid(sql`
          update ooda_attempt set state = 'offered', machine = null, token = null,
            deliveries = deliveries - 1, changed_at = now()
          where ${holds(delivery)}`))
      )
    })
  })
)
