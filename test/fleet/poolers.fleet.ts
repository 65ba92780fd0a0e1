// poolers: a pooler that gives each transaction another session is refused, however it hands them out; others are not.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { database, ownSessions, storeFailure } from "../../src/fleet/sql/Database.live.ts"
import { CLI } from "../process/world.ts"
import { pooler, type Server, startServer, wanted, withPooler } from "./postgres.ts"

const installed = wanted(
  process.env["OODA_TEST_PG"],
  pooler(),
  "there is no PgBouncer here [apt-get install pgbouncer]"
)
const fake = fileURLToPath(new URL("../../fixtures/fake-codex", import.meta.url))
const transactions = ["pool_mode=transaction"]

describe.runIf(installed && inject("postgres") !== null)("a pooler", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-poolers-")))
  let server: Server
  let direct = ""
  beforeAll(async () => {
    server = await startServer(true)
    direct = server.database("fleet")
    for (const name of ["home", "tmp", "work"]) mkdirSync(join(dir, name))
  })
  afterAll(async () => {
    await server.remove()
    rmSync(dir, { recursive: true, force: true })
  })

  /** What is wrong with the sessions behind a URL, or null. */
  const problem = (url: string): Promise<string | null> =>
    Effect.runPromise(
      ownSessions.pipe(
        Effect.as(null),
        storeFailure("the store"),
        Effect.provide(database(Redacted.make(url), 2)),
        Effect.catch(({ message }) => Effect.succeed(message))
      )
    )

  it.each([
    ["of transactions", transactions],
    ["of transactions with one session", [...transactions, "default_pool_size=1"]],
    ["of transactions that takes turns", [...transactions, "server_round_robin=1", "min_pool_size=2"]],
    ["of transactions that takes turns of three", [...transactions, "server_round_robin=1", "min_pool_size=3"]],
    ["of transactions that tidies up", [...transactions, "server_reset_query_always=1"]],
    ["of statements", ["pool_mode=statement"]]
  ])("%s is refused", (_, settings) =>
    withPooler(server, "fleet", settings, async (url) => {
      // A second look meets the sessions that the first one left.
      for (const _ of [1, 2, 3]) {
        assert.match(`${await problem(url)}`, /connect to the database directly, .*pool_mode=session\]$/)
      }
    }))

  it.each([
    ["that tidies up", ["pool_mode=session"]],
    ["that does not", ["pool_mode=session", "server_reset_query="]]
  ])("of sessions %s is not, and no server", (_, settings) =>
    withPooler(server, "fleet", settings, async (url) => {
      for (const at of [url, url, direct]) assert.isNull(await problem(at))
    }))

  it("is refused at init, by doctor and by a worker", async () => {
    const called = (url: string, ...args: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [CLI, ...args], {
        cwd: dir,
        encoding: "utf8",
        timeout: 30_000,
        env: {
          PATH: `${fake}${delimiter}${process.env["PATH"] ?? ""}`,
          HOME: join(dir, "home"),
          TMPDIR: join(dir, "tmp"),
          OODA_STORE: url
        }
      })
    const init = ["fleet", "init", "--work", join(dir, "work"), "--local"]
    const why = /a pooler gives each transaction another session.*pool_mode=session/
    await withPooler(server, "fleet", transactions, async (url) => {
      const refused = called(url, ...init)
      assert.strictEqual(refused.status, 6)
      assert.match(refused.stderr, why)
      assert.strictEqual(called(direct, ...init).status, 0)
      const worker = called(url, "fleet", "worker")
      assert.strictEqual(worker.status, 6)
      assert.match(worker.stderr, why)
      const looked = called(url, "doctor")
      assert.strictEqual(looked.status, 1)
      assert.match(looked.stdout, /store +the store: a pooler gives each transaction another session/)
      assert.match(looked.stdout, /connect to the database directly, or set pool_mode=session$/m)
    })
    await withPooler(server, "fleet", ["pool_mode=session"], async (url) => {
      assert.strictEqual(called(url, ...init).status, 0)
    })
  })
})
