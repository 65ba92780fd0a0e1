// databases: a database for each file of the suite, questions to one, and servers that a test may crash.
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, beforeAll, inject } from "vitest"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { layer } from "../../src/fleet/sql/EventLog.live.ts"
import { letWrite, makeTables } from "../../src/fleet/sql/Tables.live.ts"
import type { EventLog } from "../../src/log/EventLog.ts"
import { programs, type Server, startServer, urlOf, user } from "./postgres.ts"

/** The database of a test file. `installed` is false where there is no server, and that may be passed over. */
export interface Database {
  readonly installed: boolean
  readonly url: (role?: string) => string
}

const withTool = (directory: string, tool: string, ...words: ReadonlyArray<string>): void => {
  execFileSync(join(programs() ?? "", tool), ["-h", directory, "-U", user, ...words], { stdio: "pipe" })
}

/** Makes a database before the tests of a file, and drops it behind them. */
export const databaseOf = (name: string): Database => {
  const directory = inject("postgres")
  if (directory === null) return { installed: false, url: () => "" }
  beforeAll(() => withTool(directory, "createdb", name))
  afterAll(() => withTool(directory, "dropdb", "--force", name))
  return { installed: true, url: (role) => urlOf(directory, name, role) }
}

/** The event log in a database. */
export const logIn = (url: string): Layer.Layer<EventLog> =>
  Layer.orDie(Layer.provide(layer, database(Redacted.make(url))))

/** Makes the tables of a store, and a role that may write runs in them and do no more. */
export const makeStore = (url: string, role: string): Promise<void> =>
  querying(url, (sql) =>
    Effect.provideService(
      Effect.andThen(makeTables, Effect.andThen(sql`create role ${sql(role)} login`, letWrite(role))),
      SqlClient,
      sql
    ))

/** Asks a database over a connection of its own. */
export const querying = <A, E>(url: string, use: (sql: SqlClient) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(Effect.flatMap(PgClient.PgClient, use), PgClient.layer({ url: Redacted.make(url) }))
  )

/** Starts a server for one test, and removes it in every case. */
export const withServer = async <A>(durable: boolean, use: (server: Server) => Promise<A>): Promise<A> => {
  const server = await startServer(durable)
  try {
    return await use(server)
  } finally {
    await server.remove()
  }
}
