// Encryption.live: how sslmode, sslrootcert, sslcert and sslkey in a store's URL apply to its connections, as in libpq.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ConnectionOptions, createSecureContext } from "node:tls"
import { Effect, Redacted } from "effect"
import { Environment } from "../../platform/Environment.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import { sslModeOf } from "../../platform/SslMode.ts"

/** A URL without its parameters about encryption, and the ways to connect, in the order to try. */
export interface Ways {
  readonly url: Redacted.Redacted
  readonly ways: ReadonlyArray<false | ConnectionOptions>
}

const unusable = (path: string) =>
  new StoreFailed({ path, reason: { _tag: "DatabaseRefused", why: "certificateFile", state: null } })

const attempt = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: () => unusable(path) })

// libpq's default places.
const usualFiles = { sslrootcert: "root.crt", sslcert: "postgresql.crt", sslkey: "postgresql.key" } as const

const isSocket = (url: URL): boolean => {
  const host = url.searchParams.getAll("host").at(-1) ?? url.hostname
  return host.startsWith("/") || host.toLowerCase().startsWith("%2f")
}

/** Reads the files that a mode of encryption needs. */
const encrypted = Effect.fnUntraced(function*(parameters: ReadonlyMap<string, string>, mode: string) {
  const { HOME } = yield* Environment
  const fileOf = Effect.fnUntraced(function*(name: keyof typeof usualFiles) {
    const named = parameters.get(name)
    const usual = HOME === undefined ? "" : join(HOME, ".postgresql", usualFiles[name])
    const path = named ?? (existsSync(usual) ? usual : null)
    return path === null ? undefined : yield* attempt(`${name}=${path}`, () => readFileSync(path))
  })
  const mayCheck = mode === "require" || mode.startsWith("verify-")
  const isSystem = parameters.get("sslrootcert") === "system"
  const ca = mayCheck && !isSystem ? yield* fileOf("sslrootcert") : undefined
  const cert = yield* fileOf("sslcert")
  const key = cert === undefined ? undefined : yield* fileOf("sslkey")
  const secureContext = yield* attempt(
    "sslrootcert, sslcert and sslkey of the store",
    () => createSecureContext({ ca, cert, key })
  )
  return {
    secureContext,
    rejectUnauthorized: mode.startsWith("verify-") || mayCheck && (isSystem || ca !== undefined),
    // Anybody can get a certificate of a public authority, so the host name must be checked too.
    ...(ca !== undefined && mode !== "verify-full" ? { checkServerIdentity: () => undefined } : {})
  } satisfies ConnectionOptions
})

/** How to connect to the database at a URL. A local socket is never encrypted. */
export const waysTo = Effect.fnUntraced(function*(asked: Redacted.Redacted) {
  const text = Redacted.value(asked)
  // A URL that cannot be parsed is refused where it is used.
  if (!URL.canParse(text)) return { url: asked, ways: [false] } satisfies Ways
  const url = new URL(text)
  const mode = sslModeOf(url) ?? "verify-full"
  const parameters = new Map(url.searchParams)
  for (const name of ["sslmode", "ssl", ...Object.keys(usualFiles)]) url.searchParams.delete(name)
  const plain = { url: Redacted.make(url.href), ways: [false] } satisfies Ways
  if (mode === "disable" || isSocket(url)) return plain
  const tls = yield* encrypted(parameters, mode)
  const ways = mode === "prefer" ? [tls, false as const] : mode === "allow" ? [false as const, tls] : [tls]
  return { ...plain, ways } satisfies Ways
})
