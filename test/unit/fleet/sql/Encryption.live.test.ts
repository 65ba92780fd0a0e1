// Encryption: what sslmode and its files in a store's URL mean for its connections, as libpq has it.
// What is not understood is as careful as can be, and nothing of it stays in the URL.
import { mkdirSync, writeFileSync } from "node:fs"
import { rootCertificates } from "node:tls"
import { Effect, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { waysTo } from "../../../../src/fleet/sql/Encryption.live.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { eachInDirectory } from "../../../support/directories.ts"

const home = eachInDirectory()

/** Keeps an authority where libpq looks for one. */
const trust = () => {
  mkdirSync(home(".postgresql"))
  writeFileSync(home(".postgresql/root.crt"), rootCertificates[0] ?? "")
}

/** The ways to a database: `plain`, or `tls` with what is checked: any certificate, its authority, or its host too. */
const ways = async (search: string, host = "db.example") => {
  const asked = waysTo(Redacted.make(`postgres://a:b@${host}/x${search}`))
  const found = await Effect.runPromise(Effect.provideService(asked, Environment, { HOME: home() }))
  const shown = found.ways.map((way) => {
    if (way === false) return "plain"
    if (way.rejectUnauthorized !== true) return "tls"
    return way.checkServerIdentity === undefined ? "tls of its host" : "tls of its authority"
  })
  return { url: Redacted.value(found.url), ways: shown }
}

describe("the ways to a database", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["", ["tls", "plain"]],
    ["?sslmode=prefer", ["tls", "plain"]],
    ["?sslmode=disable", ["plain"]],
    ["?sslmode=allow", ["plain", "tls"]],
    ["?sslmode=no-verify", ["tls"]],
    ["?sslmode=require", ["tls"]],
    ["?ssl=true", ["tls"]],
    ["?sslmode=verify-ca", ["tls of its host"]],
    ["?sslmode=verify-full", ["tls of its host"]],
    ["?sslrootcert=system", ["tls of its host"]],
    ["?sslmode=other", ["tls of its host"]]
  ])(
    "of %j are %j",
    async (search, expected) =>
      assert.deepStrictEqual(await ways(search), { url: "postgres://a:b@db.example/x", ways: expected })
  )

  it.each<readonly [string, ReadonlyArray<string>]>([
    ["?sslmode=require", ["tls of its authority"]],
    ["?sslmode=verify-ca", ["tls of its authority"]],
    ["?sslmode=verify-full", ["tls of its host"]],
    ["?sslmode=no-verify", ["tls"]]
  ])("of %j with an authority of the user's are %j", async (search, expected) => {
    trust()
    assert.deepStrictEqual((await ways(search)).ways, expected)
  })

  it("through a socket of this machine are never encrypted", async () => {
    for (const search of ["?sslmode=verify-full&host=/run/postgresql", "?host=%2Frun"]) {
      assert.deepStrictEqual((await ways(search)).ways, ["plain"])
    }
    assert.deepStrictEqual((await ways("", "%2Frun%2Fpostgresql")).ways, ["plain"])
  })

  it("need the files that are named, and say which one cannot be used", async () => {
    const missing = home("none")
    const asked = waysTo(Redacted.make(`postgres://a:s3cret@db/x?sslmode=require&sslcert=${missing}`))
    const error = await Effect.runPromise(Effect.flip(Effect.provideService(asked, Environment, { HOME: home() })))
    assert.strictEqual(error.path, `sslcert=${missing}`)
    assert.notInclude(error.message, "s3cret")
  })

  it("of an invalid URL are left to its user", async () => {
    const asked = Redacted.make("no url")
    assert.deepStrictEqual(await Effect.runPromise(waysTo(asked)), { url: asked, ways: [false] })
  })
})
