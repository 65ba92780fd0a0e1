// server: the servers of this suite themselves: what they keep, whom they listen to, how they end.
import { existsSync, readdirSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { databaseOf, querying, withServer } from "./databases.ts"
import { pidFile, wanted } from "./postgres.ts"

const { installed, url } = databaseOf("server")

describe("a missing server", () => {
  it("is passed over where nothing else is said, and is a failure where it is required", () => {
    assert.isFalse(wanted(undefined, null))
    assert.isFalse(wanted("auto", null))
    assert.throws(() => wanted("require", null), /apt-get install postgresql/)
    assert.throws(() => wanted("maybe", "/bin"), /say auto or require/)
  })

  it("is one that is not installed", () => {
    for (const said of [undefined, "auto", "require"]) assert.isTrue(wanted(said, "/bin"))
  })
})

describe.runIf(installed)("the server of the suite", () => {
  it("has a database for this file, and listens to nothing but its socket", async () => {
    const [row] = await querying(url(), (sql) =>
      sql<{ db: string; listen: string; fsync: string }>`
        select current_database() as db, current_setting('listen_addresses') as listen,
               current_setting('fsync') as fsync`)
    assert.deepEqual({ ...row }, { db: "server", listen: "", fsync: "off" })
  })
})

describe.runIf(installed)("a server of its own", () => {
  it("keeps what was committed through a crash, and nothing when it is removed", async () => {
    let directory = ""
    await withServer(true, async (server) => {
      directory = server.directory
      const own = server.database("own")
      const pid = server.pid()
      assert.strictEqual(pidFile(directory), pid)
      await querying(own, (sql) => Effect.andThen(sql`create table kept (n int)`, sql`insert into kept values (7)`))
      await server.crash()
      assert.throws(() => process.kill(pid, 0), /ESRCH/)
      await server.start()
      const rows = await querying(
        own,
        (sql) => sql<{ n: number; fsync: string }>`select n, current_setting('fsync') as fsync from kept`
      )
      assert.deepEqual(rows.map((row) => ({ ...row })), [{ n: 7, fsync: "on" }])
      assert.include(readdirSync(directory), "data")
    })
    assert.isFalse(existsSync(directory))
  })
})
