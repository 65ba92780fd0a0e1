// runs: the arguments of `runs`.
// The one rule: it lists; which run is meant is never a question here.
import { Result } from "effect"
import type { RunsCommand } from "../../core/Subcommand.ts"
import { path } from "../values.ts"
import { type CommandSpec, jsonOption, rootOption, valueOf, type Words } from "./words.ts"

/** The table of `runs`. */
export const spec: CommandSpec = {
  name: "runs",
  about: [
    "Lists the runs of this repository, newest first: target, levels from the floor to the current one, batches,",
    "reviews, duration, and where each run stands. Reads only; exits 0, 6 when it could not, 64 on misuse."
  ],
  operand: null,
  options: [
    { option: "--all", metavar: null, text: "The runs of every repository under the state root." },
    rootOption,
    jsonOption
  ]
}

/** The command that the arguments describe, or what is wrong with them. */
export const command = (words: Words, defaultRoot: string | null): Result.Result<RunsCommand, string> =>
  Result.map(valueOf(words, "--state-root", path, defaultRoot), (stateRoot) => ({
    _tag: "Runs",
    stateRoot,
    all: words.given("--all") !== null,
    json: words.given("--json") !== null
  }))
