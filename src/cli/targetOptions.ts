// targetOptions: the options that name a target and a store, the same for a step and the subcommands.
import { Effect, Redacted, Result, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { variable } from "../platform/Environment.ts"
import { sslModeOf, sslModes } from "../platform/SslMode.ts"
import { defaults, type Settings } from "../run/Settings.ts"
import { parseBranch, parseCommit, parsePr, type Target } from "../run/Target.ts"
import { badValue } from "./argv.ts"
import type { FlagTexts, Value } from "./values.ts"

type TargetOption = "--uncommitted" | "--base" | "--commit" | "--pr"

/** The target of `--base`. */
export const base: Value<Target> = (text) => Result.map(parseBranch(text), (branch) => ({ _tag: "Base", branch }))

/** The target of `--commit`. */
export const commit: Value<Target> = (text) => Result.map(parseCommit(text), (sha) => ({ _tag: "Commit", sha }))

/** The target of `--pr`. */
export const pr: Value<Target> = (text) => Result.map(parsePr(text), (number) => ({ _tag: "PullRequest", number }))

// The value of a switch is the empty text.
const targets: ReadonlyArray<readonly [TargetOption, Value<Target>]> = [
  ["--uncommitted", () => Result.succeed({ _tag: "Uncommitted" })],
  ["--base", base],
  ["--commit", commit],
  ["--pr", pr]
]

/** The message if a target is needed and none is given. */
export const targetRequired = "one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required"

/** The message about options that exclude each other. */
export const excludeEachOther = (options: ReadonlyArray<string>): string =>
  `${options.join(" and ")} exclude each other`

/** The given target, or what is wrong with it; `required`: there must be one. */
export const targetOf = (given: FlagTexts, required: string): Result.Result<Target, string> => {
  const chosen = targets.filter(([option]) => given(option).length > 0)
  const [first, ...more] = chosen
  if (first === undefined) return Result.fail(required)
  if (more.length > 0) return Result.fail(excludeEachOther(chosen.map(([option]) => option)))
  const [option, parser] = first
  const text = given(option)[0] ?? ""
  return Result.mapError(parser(text), (reason) => badValue(option, text, reason))
}

// Addresses of stores. No message repeats one, and no password is on a command line, where others can read it.

const expected = "expected the URL of a PostgreSQL database, such as postgres://user@host/name"

const parsed = (text: string): URL | null => URL.canParse(text) ? new URL(text) : null

/** What is wrong with a text as the address of a store, or null. `shown`: whether other users can read the text. */
export const storeUrlProblem = (text: string, { shown }: { readonly shown: boolean }): string | null => {
  const url = parsed(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return expected
  if (url.pathname.length < 2) return "the URL of a store names its database: postgres://user@host/name"
  if (sslModeOf(url) === null) return `the sslmode of a store's URL is one of ${sslModes.join(", ")}`
  const hasPassword = url.password !== "" || url.searchParams.has("password")
  return shown && hasPassword
    ? "others can read a password on a command line; give the URL by $OODA_STORE, or the password by $PGPASSWORD"
    : null
}

/** The address with the password of the environment, if it has none itself. */
export const withPassword = (text: string, password: string | null): Result.Result<string, string> => {
  const url = parsed(text)
  if (url === null) return Result.fail(expected)
  if (password === null || url.password !== "" || url.searchParams.has("password")) return Result.succeed(text)
  url.password = encodeURIComponent(password)
  return Result.succeed(url.href)
}

/** The URL of a store on a command line, where other users can read it. */
export const storeText: Value<string> = (text) => {
  const problem = storeUrlProblem(text, { shown: true })
  return problem === null ? Result.succeed(text) : Result.fail(`--store: ${problem}`)
}

/** What is wrong with two stores that are named at once. */
export const twoStores = excludeEachOther(["--store", "--state-root"])

/** The URL of the store that a step names, or null; or one line that says what is wrong with it. */
export const storeOption = (given: FlagTexts): Result.Result<string | null, string> => {
  const [text] = given("--store")
  if (text === undefined) return Result.succeed(null)
  return given("--state-root").length === 0 ? storeText(text) : Result.fail(twoStores)
}

/** The address of a store is missing or invalid. The message repeats no word of it. */
class StoreUnnamed extends Schema.TaggedError<StoreUnnamed>()("StoreUnnamed", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** The address of the store that a flag or the environment names. No message repeats it. */
export const storeUrl = Effect.fn("targetOptions.storeUrl")(function*(named: string | null) {
  const text = named ?? (yield* variable("OODA_STORE"))
  if (text === null) {
    return yield* new StoreUnnamed({ message: "no store is named [give its URL by $OODA_STORE or --store]" })
  }
  const problem = storeUrlProblem(text, { shown: named !== null })
  const url = problem === null ? withPassword(text, yield* variable("PGPASSWORD")) : Result.fail(problem)
  return yield* Result.match(url, {
    onFailure: (why) =>
      Effect.fail(new StoreUnnamed({ message: `${named === null ? "$OODA_STORE" : "--store"}: ${why}` })),
    onSuccess: (url) => Effect.succeed(Redacted.make(url))
  })
})

/** What is wrong with the codex of a step in a store in a database, or null. */
export const codexProblem = ({ codexBin }: Pick<Settings, "codexBin">): string | null =>
  codexBin === defaults.codexBin
    ? null
    : "--codex-bin names a program of this machine, and in a store the workers run their own [give it to fleet worker]"

/**
 * The address of the call's store in a database, or null for a state root: a named state root wins over the
 * environment.
 */
export const storeOf = Effect.fn("targetOptions.storeOf")(
  function*({ stateRoot, store }: { readonly stateRoot: string | null; readonly store: string | null }) {
    if (stateRoot !== null || (store ?? (yield* variable("OODA_STORE"))) === null) return null
    return yield* storeUrl(store)
  }
)
