// Database: the connections to the database that a store lies in.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { StoreFailed } from "../../services/RunStore.ts"
import { sqlFault } from "./SqlFaults.ts"

/**
 * The database at a URL, which is told to nobody. A connection is made when the first question is asked; there are at
 * most `connections` at once.
 */
export const database = (url: Redacted.Redacted, connections = 10): Layer.Layer<SqlClient, StoreFailed> =>
  Layer.catchTag(
    PgClient.layer({ url, applicationName: "ooda-codex-review", maxConnections: connections }),
    "SqlError",
    (error) => Layer.effectContext(new StoreFailed({ path: "the database", reason: sqlFault(error) }))
  )
