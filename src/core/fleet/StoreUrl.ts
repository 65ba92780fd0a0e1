// StoreUrl: the address of a store in a database, or one line why it is none.
// The one rule: no refusal repeats the address, and no password stands on a command line, where others can read it.
import { Result } from "effect"

const expected = "expected the URL of a PostgreSQL database, such as postgres://user@host/name"

const parsed = (text: string): URL | null => URL.canParse(text) ? new URL(text) : null

/** The problem with a text as the address of a store, or null. `shown`: whether other users can read the text. */
export const storeUrlProblem = (text: string, { shown }: { readonly shown: boolean }): string | null => {
  const url = parsed(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return expected
  if (url.pathname.length < 2) return "the URL of a store names its database: postgres://user@host/name"
  const hasPassword = url.password !== "" || url.searchParams.has("password")
  return shown && hasPassword
    ? "others can read a password on a command line; give the URL by $OODA_STORE, or the password by $PGPASSWORD"
    : null
}

/** The address with the password that the environment holds, where it holds none itself. */
export const withPassword = (text: string, password: string | null): Result.Result<string, string> => {
  const url = parsed(text)
  if (url === null) return Result.fail(expected)
  if (password === null || url.password !== "" || url.searchParams.has("password")) return Result.succeed(text)
  url.password = encodeURIComponent(password)
  return Result.succeed(url.href)
}
