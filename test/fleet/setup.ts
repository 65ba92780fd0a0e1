// setup: one server for the whole suite, on which fsync is off; a file that crashes one starts its own.
import type { TestProject } from "vitest/node"
import { programs, startServer, wanted } from "./postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the server's socket; null where none is installed and the suite may pass over that. */
    readonly postgres: string | null
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  if (!wanted(process.env["OODA_TEST_PG"], programs())) {
    console.warn("SKIPPED: there is no PostgreSQL server here [apt-get install postgresql]")
    provide("postgres", null)
    return async () => {}
  }
  const server = await startServer(false)
  provide("postgres", server.directory)
  return server.remove
}
