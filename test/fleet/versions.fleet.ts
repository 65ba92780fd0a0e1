// versions: what an operator sets up again, and stores of other versions, on a server that keeps what it acknowledges.
import { spawnSync } from "node:child_process"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { storeAt } from "../../src/fleetLayers.ts"
import { FleetStore, type FleetSetup } from "../../src/fleet/FleetStore.ts"
import { CLI } from "../process/world.ts"
import { querying } from "./databases.ts"
import { type Server, startServer, user } from "./postgres.ts"

const nothing: FleetSetup = { work: null, local: false, lease: null, writer: null, account: null }

describe.runIf(inject("postgres") !== null)("a store that is set up", () => {
  let server: Server
  let url = ""
  const outcome = <A>(
    use: Effect.Effect<A, { readonly message: string }, FleetStore>,
    address = url
  ): Promise<A | string> =>
    Effect.runPromise(
      Effect.catch(Effect.provide(use, storeAt(Redacted.make(address))), ({ message }) => Effect.succeed(message))
    )
  const facts = FleetStore.use((store) => store.facts)
  const setUp = (asked: Partial<FleetSetup>) => FleetStore.use((store) => store.setUp({ ...nothing, ...asked }))
  const takesLocal = (asked: Partial<FleetSetup>) => outcome(Effect.map(setUp(asked), ({ local }) => local))
  const called = async (...words: ReadonlyArray<string>): Promise<string> => {
    const env = { PATH: process.env["PATH"], HOME: "/nowhere", OODA_STORE: url }
    const { status, stderr } = spawnSync(process.execPath, [CLI, ...words], { env, encoding: "utf8" })
    assert.strictEqual(status, 6, stderr)
    return stderr
  }
  const ask = (text: string) => querying(url, (sql) => sql.unsafe(text))

  beforeAll(async () => {
    server = await startServer(true)
    url = server.database("fleet")
  })
  afterAll(() => server.remove())

  it("takes repositories of its own machines from when that is asked for", async () => {
    assert.isFalse(await takesLocal({ work: "/srv/ooda" }))
    assert.isTrue(await takesLocal({ local: true }))
    assert.isTrue(await takesLocal({}))
  })

  it("is worked with by no one while its server acknowledges what a crash may take", async () => {
    assert.isObject(await outcome(facts))
    await ask("alter database fleet set synchronous_commit = off")
    assert.match(`${await outcome(facts)}`, /^the store: its server has synchronous_commit off, /)
    await ask("alter database fleet reset synchronous_commit")
    assert.isObject(await outcome(facts))
  })

  it("lets in no role that is not there", async () => {
    assert.strictEqual(
      await outcome(setUp({ writer: "no body" })),
      "the tables of the store: the database has no role no body [create role ... login, or name another]"
    )
  })

  it("by a newer version is worked with by no one, and left as it is", async () => {
    const newer = "the store: it was set up by a newer version of ooda-codex-review [use that version here]"
    await ask("insert into ooda_migration (migration_id, name) values (10, 'later')")
    assert.deepStrictEqual([await outcome(facts), await outcome(setUp({ lease: 9000 }))], [newer, newer])
    assert.strictEqual(await called("runs"), `error: ${newer}\n`)
    assert.strictEqual(await called("--pr", "1", "--mark-retro-clean"), `BinaryError: ${newer}\n`)
    await ask("delete from ooda_migration where migration_id = 10")
    assert.notStrictEqual(await outcome(facts), newer)
  })

  it("whose owner gave a user an older version's rights says how to give this version's", async () => {
    await ask("create role hand login")
    await outcome(setUp({ writer: "hand" }))
    const hand = () => outcome(facts, url.replace(`${user}@`, "hand@"))
    assert.include(await hand(), { work: "/srv/ooda" })
    await ask("revoke select on ooda_migration from hand")
    assert.strictEqual(
      await hand(),
      "the store: this user has no rights of this version [the owner of the store gives them: fleet init --writer USER]"
    )
  })

  it("by an older version is worked with when it was set up again", async () => {
    await ask("delete from ooda_migration where migration_id = 9")
    await ask("alter table ooda_target drop column last_seq, drop column turns")
    assert.strictEqual(
      await outcome(facts),
      "the store: the database lacks the tables of this version [ooda-codex-review fleet init]"
    )
    await outcome(setUp({}))
    assert.include(await outcome(facts), { work: "/srv/ooda", lease: 30_000 })
  })
})
