// Toml: a TOML text as the keys of its top level, or where it is wrong.
import { Result } from "effect"
import { parse, TomlError } from "smol-toml"
import { brief } from "../text/Untrusted.ts"

/** The deepest that arrays and tables may nest: no setting needs more than a list. */
const maxDepth = 8

const problemOf = (error: unknown): string => {
  const [first = ""] = (error instanceof Error ? error.message : "it cannot be read").split("\n")
  const why = brief(first.replace(/^Invalid TOML document: /, ""), 200)
  return error instanceof TomlError ? `line ${error.line}: ${why} [correct that line]` : `${why} [correct the file]`
}

/** The keys of the top level with their values, in their order, or one line about what is wrong. A BOM is no text. */
export const readToml = (text: string): Result.Result<ReadonlyArray<readonly [string, unknown]>, string> =>
  Result.try({
    try: () => Object.entries(parse(text.replace(/^\uFEFF/, ""), { maxDepth })),
    catch: problemOf
  })
