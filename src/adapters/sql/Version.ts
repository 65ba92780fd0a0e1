// Version: whether the tables of a store are those of this version of the program.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StoreFailed } from "../../services/RunStore.ts"
import type { StoreReason } from "../../services/StoreReason.ts"
import { sqlFault } from "./SqlFaults.ts"
import { newestStep } from "./Tables.ts"

const refused = (reason: StoreReason) => new StoreFailed({ path: "the store", reason })

// PostgreSQL's state for a right that the user lacks.
const rightMissing = "42501"

/** Whether the tables are those of this version. Fails where a newer one made them, or set this user's rights up. */
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

/** Fails where the tables of a store are those of another version. */
export const fits = Effect.gen(function*() {
  if (!(yield* isUpToDate)) return yield* refused({ _tag: "DatabaseRefused", why: "unprepared", state: null })
})
