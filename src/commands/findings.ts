// findings: the arguments of `findings`.
// The one rule: one batch of one run, in one format.
import { Result } from "effect"
import { isLevel } from "../core/run/Level.ts"
import type { At } from "../core/findings/Review.ts"
import type { FindingsCommand } from "./Subcommand.ts"
import { path, type Value } from "../cli/values.ts"
import { selectorOf, targetOptions } from "./selector.ts"
import { type CommandSpec, jsonOption, rootOption, valueOf, type Words } from "./words.ts"

const formats = {
  "--json": "Json",
  "--sarif": "Sarif",
  "--markdown": "Markdown",
  "--github": "GitHub"
} as const satisfies Record<string, FindingsCommand["format"]>

/** The table of `findings`. */
export const spec: CommandSpec = {
  name: "findings",
  about: [
    "Shows what the reviewers of a batch found: merged, the gravest first, with who reported it and what became of it",
    "from batch to batch: new, still there, came back, gone (no reviewer of a completely reviewed batch reports it).",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this repository. Reads only; exits",
    "0 without findings, 1 with findings, 6 when it could not tell (so also when nothing was found but a review is",
    "missing), 64 on misuse. SARIF and GitHub: P0 and P1 are errors, P2 and findings without a priority warnings, P3",
    "notes; a slot without a review makes the SARIF execution unsuccessful."
  ],
  operand: "RUN",
  options: [
    { option: "--batch", metavar: "LVL/N", text: "That batch, such as low/2. Default: the last one started." },
    { option: "--run", metavar: "RUN", text: "The same as RUN." },
    ...targetOptions,
    rootOption,
    jsonOption,
    { option: "--sarif", metavar: null, text: "A SARIF 2.1.0 log, for code scanning and viewers." },
    { option: "--markdown", metavar: null, text: "The document that an address agent is given." },
    { option: "--github", metavar: null, text: "Annotations of a GitHub Actions workflow." }
  ]
}

/** A batch as `LEVEL/N`. */
const batchRef: Value<At> = (text) => {
  const [, level = "", number = ""] = /^([a-z]+)\/([1-9][0-9]{0,8})$/.exec(text) ?? []
  return isLevel(level)
    ? Result.succeed({ level, batch: Number(number) })
    : Result.fail("expected a level and the number of a batch, such as low/2")
}

const formatOf = (words: Words): Result.Result<FindingsCommand["format"], string> => {
  const given = Object.entries(formats).filter(([option]) => words.given(option) !== null)
  if (given.length > 1) return Result.fail(`${given.map(([option]) => option).join(" and ")} exclude each other`)
  return Result.succeed(given[0]?.[1] ?? "Table")
}

const named = (words: Words): Result.Result<Words, string> => {
  const run = words.given("--run")
  if (run === null) return Result.succeed(words)
  if (words.operand !== null) return Result.fail("RUN and --run exclude each other")
  return run === "" ? Result.fail("--run cannot be empty") : Result.succeed({ ...words, operand: run })
}

/** The command that the arguments describe, or what is wrong with them. */
export const command = (words: Words): Result.Result<FindingsCommand, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(yield* named(words))
    const batch = yield* valueOf(words, "--batch", batchRef, null)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const format = yield* formatOf(words)
    return { _tag: "Findings", stateRoot, selector, batch, format }
  })
