// storeOption: the store in a database that a call names, in the words of a step and of the subcommands.
// The one rule: no message repeats its URL.
import { Result } from "effect"
import { storeUrlProblem } from "../core/fleet/StoreUrl.ts"
import { excludeEachOther } from "./targets.ts"
import type { Value } from "./values.ts"

/** The URL of a store on a command line, where other users can read it. */
export const storeText: Value<string> = (text) => {
  const problem = storeUrlProblem(text, { shown: true })
  return problem === null ? Result.succeed(text) : Result.fail(`--store: ${problem}`)
}

/** What is wrong with two stores that are named at once. */
export const twoStores = excludeEachOther(["--store", "--state-root"])

/** The URL of the store that a step names, or null; or one line that says what is wrong with it. */
export const storeOption = (
  given: (option: "--store" | "--state-root") => string | null
): Result.Result<string | null, string> => {
  const text = given("--store")
  if (text === null) return Result.succeed(null)
  return given("--state-root") === null ? storeText(text) : Result.fail(twoStores)
}
