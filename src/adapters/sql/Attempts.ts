// Attempts: what is known of the attempts at reviews in PostgreSQL, and what follows from it for whoever asks.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { AttemptRef, ReviewRef, RunRef } from "../../core/run/Refs.ts"
import type { ReviewerState } from "../../core/run/ReviewerState.ts"
import { Usage } from "../../core/run/Usage.ts"
import { ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import { StoreFailed } from "../../services/RunStore.ts"
import { runDirectory } from "../store/Layout.ts"
import { hasTarget } from "./Named.ts"
import type { Told } from "./ReviewFilesSql.ts"
import { sqlFault } from "./SqlFaults.ts"

/** The row of an attempt as far as its state goes. Times in milliseconds. */
export interface AttemptRow {
  readonly id: string
  readonly state: "absent" | "fenced" | "offered" | "leased" | "exited" | "lost" | "stopped"
  readonly silent: number
  readonly waiting: number
  readonly bytes: number
  readonly status: number | null
  readonly deadline: boolean
  readonly oversize: boolean
  /** Since it was looked for or launched. */
  readonly age: number
}

const starting: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }

/** What a look at a row shows. Whoever stopped an attempt knows it; to all others it was lost. */
export const stateOf = ({ bytes, deadline, oversize, silent, state, status, waiting }: AttemptRow): ReviewerState => {
  switch (state) {
    case "absent":
    case "offered":
      return starting
    case "leased":
      return { _tag: "Alive", silentFor: silent, waitingForNetwork: waiting, bytes }
    case "fenced":
      return { _tag: "Unstarted" }
    case "exited":
      return status === null
        ? { _tag: "Lost" }
        : { _tag: "Exited", status, deadline, ...(oversize ? { oversize } : {}) }
    case "lost":
    case "stopped":
      return { _tag: "Lost" }
  }
}

const StoredUsage = Schema.fromJsonString(Usage)
const decodeUsage = Schema.decodeUnknownEffect(StoredUsage)

/** The statements about attempts. */
export interface Attempts {
  /** The rows of these attempts that are there. */
  readonly rows: (attempts: ReadonlyArray<AttemptRef>) => Effect.Effect<ReadonlyArray<AttemptRow>, SqlError>
  /** What was told of an attempt. */
  readonly told: (review: ReviewRef) => Effect.Effect<Told, ReviewFilesFailed>
  /** Whether a review of a run waits for an executor or runs. */
  readonly underWay: (run: RunRef) => Effect.Effect<boolean, StoreFailed>
}

/** The statements on a database. */
export const attempts: Effect.Effect<Attempts, never, SqlClient> = Effect.map(SqlClient, (sql) => ({
  rows: (some) =>
    sql<AttemptRow>`
      select id, state, silent, waiting, seen_bytes::float8 as bytes, status, deadline, oversize,
        (extract(epoch from clock_timestamp() - made_at) * 1000)::float8 as age
      from ooda_attempt where id in ${sql.in(some.map(({ id }) => id))}`,

  told: Effect.fnUntraced(
    function*({ attempt, batch, level, run, slot }: ReviewRef) {
      const [row] = yield* sql<
        { readonly state: AttemptRow["state"]; readonly empty: boolean; readonly usage: string | null }
      >`
        select a.state, a.empty_session as empty, a.usage from ooda_target t join ooda_attempt a on a.target = t.id
        where ${hasTarget(sql, run)} and a.run_id = ${run.runId} and a.level = ${level} and a.batch = ${batch}
          and a.slot = ${slot} and a.attempt = ${attempt}`
      const runs = row?.state === "absent" || row?.state === "offered" || row?.state === "leased"
      const usage = row === undefined || row.usage === null ? null : yield* Effect.option(decodeUsage(row.usage))
      return {
        fate: runs ? "Alive" : row?.state === "exited" ? "Exited" : "Gone",
        emptySession: row?.empty ?? false,
        usage: usage?._tag === "Some" ? usage.value : null
      } satisfies Told
    },
    (asked, { run }) =>
      Effect.mapError(asked, (error) => new ReviewFilesFailed({ path: runDirectory(run), reason: sqlFault(error) }))
  ),

  underWay: (run) =>
    sql`
      select 1 from ooda_target t join ooda_attempt a on a.target = t.id
      where ${hasTarget(sql, run)} and a.run_id = ${run.runId} and a.state in ('offered', 'leased') limit 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.mapError((error) => new StoreFailed({ path: runDirectory(run), reason: sqlFault(error) }))
    )
}))
