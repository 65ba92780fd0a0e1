// SslMode: how the URL of a store wants connections encrypted, in libpq's words, and node-postgres' no-verify.

/** The values of `sslmode`, from the least to the most strict; `no-verify` is `require` that trusts any certificate. */
export const sslModes = [
  "disable",
  "allow",
  "prefer",
  "no-verify",
  "require",
  "verify-ca",
  "verify-full"
] as const
export type SslMode = (typeof sslModes)[number]

/** The mode of a URL: `prefer` if it names none, null for an unknown mode. */
export const sslModeOf = ({ searchParams }: URL): SslMode | null => {
  const parameters = new Map(searchParams)
  const usual = parameters.get("sslrootcert") === "system" ? "verify-full" : "prefer"
  const named = parameters.get("sslmode") ?? (parameters.get("ssl") === "true" ? "require" : usual)
  return sslModes.find((mode) => mode === named) ?? null
}
