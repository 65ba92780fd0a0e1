// encryption: a server with a certificate of its own authority, asked by every sslmode; each refusal names its cause.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { database, storeFailure } from "../../src/fleet/sql/Database.live.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { authority } from "./certificates.ts"
import { querying } from "./databases.ts"
import { type Server, startServer } from "./postgres.ts"

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => typeof address === "object" && address !== null ? resolve(address.port) : reject(address))
    })
  })

// Who may connect, by pg_hba.conf. The socket is always open to the test itself.
const rules = {
  all: "host all all all trust",
  encryptedOnly: "hostssl all all all trust",
  plainOnly: "hostnossl all all all trust",
  password: "host all all all scram-sha-256",
  certificate: "hostssl all all all cert"
} as const

describe.runIf(inject("postgres") !== null)("a server with a certificate of its own", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-tls-")))
  const own = authority(dir, "own")
  const other = authority(dir, "other")
  const client = own.sign("ooda")
  const stranger = other.sign("stranger")
  let server: Server
  let [port, nothing] = [0, 0]

  const socket = () => `postgres://ooda@localhost/fleet?host=${encodeURIComponent(server.directory)}&port=${port}`

  /** The server takes who the rule lets in; `ssl` is off where it shall not encrypt. */
  const letting = async (rule: keyof typeof rules, ssl: "on" | "off" = "on") => {
    server.configure({
      "postgresql.auto.conf": `ssl = ${ssl}\nssl_ca_file = 'root.crt'\n`,
      "pg_hba.conf": `local all all trust\n${rules[rule]}\n`
    })
    // The server reads both when it gets the signal; its settings show when it has.
    const isRead = Effect.fnUntraced(function*(sql: SqlClient) {
      const [row] = yield* sql<{ readonly ssl: string; readonly rule: string }>`
        select current_setting('ssl') as ssl, type || ' ' || auth_method as rule from pg_hba_file_rules
        where type <> 'local'`
      const [type, , , , method] = rules[rule].split(" ")
      return row?.ssl === ssl && row.rule === `${type} ${method}`
    })
    while (!await querying(socket(), isRead)) { /* It is asked on a new connection each time. */ }
  }

  const url = (query: string, { at = port, host = "localhost", name = "fleet", who = "ooda" } = {}) =>
    `postgres://${who}@${host}:${at}/${name}${query}`

  /** Whether a URL's connection is encrypted, or why it fails. */
  const asked = (text: string, HOME = dir): Promise<string> =>
    Effect.runPromise(
      Effect.flatMap(SqlClient, (sql) =>
        sql<{ readonly ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`).pipe(
          storeFailure("the store"),
          Effect.map(([row]) =>
            row?.ssl === true ? "encrypted" : "plain"
          ),
          Effect.provide(database(Redacted.make(text))),
          Effect.provideService(Environment, { HOME }),
          Effect.catch(({ message }) => Effect.succeed(message))
        )
    )

  beforeAll(async () => {
    ;[port, nothing] = [await freePort(), await freePort()]
    server = await startServer(false, port)
    server.database("fleet")
    const { crt, key } = own.sign("localhost")
    server.configure({ "server.crt": crt, "server.key": key, "root.crt": readFileSync(own.file, "utf8") })
    await querying(socket(), (sql) => sql`alter role ooda password 'right'`)
  })
  afterAll(async () => {
    await server.remove()
    rmSync(dir, { recursive: true, force: true })
  })

  const mine = () => `&sslrootcert=${own.file}`
  const theirs = () => `&sslrootcert=${other.file}`

  it("is asked as each sslmode says", async () => {
    await letting("all")
    for (
      const [query, answer, host = "localhost"] of [
        ["", "encrypted"],
        ["?sslmode=prefer", "encrypted"],
        [`?sslmode=prefer${theirs()}`, "encrypted"],
        ["?sslmode=allow", "plain"],
        ["?sslmode=disable", "plain"],
        ["?sslmode=require", "encrypted"],
        ["?ssl=true", "encrypted"],
        [`?sslmode=no-verify${theirs()}`, "encrypted"],
        [`?sslmode=require${mine()}`, "encrypted", "127.0.0.1"],
        [`?sslmode=require${theirs()}`, /certificate is not trusted \[sslrootcert=FILE .* sslmode=no-verify/],
        [`?sslmode=verify-ca${mine()}`, "encrypted", "127.0.0.1"],
        [`?sslmode=verify-ca${theirs()}`, /certificate is not trusted/],
        ["?sslmode=verify-ca", /certificate is not trusted/],
        [`?sslmode=verify-full${mine()}`, "encrypted"],
        [`?sslmode=verify-full${mine()}`, /certificate is for another host name .*sslmode=verify-ca/, "127.0.0.1"],
        [`?sslmode=verify-full${theirs()}`, /certificate is not trusted/],
        ["?sslmode=verify-full", /certificate is not trusted/],
        ["?sslrootcert=system", /certificate is not trusted/],
        ["?sslmode=require&sslrootcert=system", /certificate is not trusted/],
        [`?sslmode=require&sslrootcert=${dir}/none`, /^sslrootcert=\/.*\/none: is no certificate .*\[check the path/],
        [`?sslmode=disable&sslrootcert=${dir}/none`, "plain"]
      ] as const
    ) {
      const got = await asked(url(query, { host }))
      if (typeof answer === "string") assert.strictEqual(got, answer, query)
      else assert.match(got, answer, query)
    }
  })

  it("is believed by the files that libpq looks for", async () => {
    await letting("all")
    const home = join(dir, "home")
    mkdirSync(join(home, ".postgresql"), { recursive: true })
    copyFileSync(other.file, join(home, ".postgresql", "root.crt"))
    assert.match(await asked(url("?sslmode=require"), home), /certificate is not trusted/)
    assert.strictEqual(await asked(url(""), home), "encrypted")
    copyFileSync(own.file, join(home, ".postgresql", "root.crt"))
    assert.strictEqual(await asked(url("?sslmode=verify-full"), home), "encrypted")
  })

  it("may insist on encryption, or on none", async () => {
    await letting("encryptedOnly")
    assert.strictEqual(await asked(url("")), "encrypted")
    assert.strictEqual(await asked(url("?sslmode=allow")), "encrypted")
    assert.match(await asked(url("?sslmode=disable")), /takes encrypted connections only \[sslmode=require/)
    await letting("plainOnly")
    assert.strictEqual(await asked(url("")), "plain")
    assert.match(await asked(url("?sslmode=require")), /SQLSTATE 28000: the database refused this user .*pg_hba.conf/)
    await letting("all", "off")
    assert.strictEqual(await asked(url("")), "plain")
    assert.match(await asked(url("?sslmode=require")), /server does not support SSL \[.*sslmode=disable/)
    assert.match(await asked(url("", { name: "none" })), /SQLSTATE 3D000: the server has no database of this name/)
  })

  it("may ask for a certificate", async () => {
    await letting("certificate")
    const files = ({ crtFile, keyFile }: typeof client) => `&sslcert=${crtFile}&sslkey=${keyFile}`
    assert.strictEqual(await asked(url(`?sslmode=verify-full${mine()}${files(client)}`)), "encrypted")
    assert.strictEqual(await asked(url(`?${files(client)}`)), "encrypted")
    assert.match(await asked(url("?sslmode=require")), /asks for another certificate of this user \[sslcert and sslkey/)
    assert.match(await asked(url("")), /asks for another certificate of this user/)
    assert.match(await asked(url(`?sslmode=require${files(stranger)}`)), /no encrypted connection came about \[/)
    writeFileSync(join(dir, "bad"), "no key")
    for (const query of [`sslcert=${client.crtFile}&sslkey=${dir}/bad`, `sslcert=${dir}/bad&sslkey=${dir}/bad`]) {
      assert.match(await asked(url(`?${query}`)), /^sslrootcert, sslcert and sslkey of the store: .*\[check the path/)
    }
  })

  it("names what else is wrong", async () => {
    await letting("password")
    assert.match(await asked(url("")), /did not get this user's password \[give the right one by \$PGPASSWORD\]/)
    assert.match(await asked(url("", { who: "ooda:wrong" })), /SQLSTATE 28P01: .*did not get this user's password/)
    assert.strictEqual(await asked(url("", { who: "ooda:right" })), "encrypted")
    assert.match(await asked(url("", { who: "ooda:right", name: "none" })), /createdb NAME/)
    assert.match(await asked(url("", { at: nothing })), /nothing listens at the database's address/)
    assert.match(await asked(url("", { host: "db.invalid" })), /host has no address/)
    await letting("all")
    assert.match(await asked(url("", { who: "nobody" })), /SQLSTATE 28000: the database refused this user/)
  })
})
