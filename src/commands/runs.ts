// runs: the arguments of `runs`.
// The one rule: it lists, unless it is told to remove; which run is meant is never a question here.
import { Result } from "effect"
import type { PruneCommand, RunsCommand } from "./Subcommand.ts"
import { age, path } from "../cli/values.ts"
import { type CommandSpec, jsonOption, rootOption, valueOf, type Words } from "./words.ts"

/** The table of `runs`. */
export const spec: CommandSpec = {
  name: "runs",
  about: [
    "Lists the runs of this repository, newest first: target, levels from the floor to the current one, batches,",
    "reviews, duration, and where each run stands. Reads only; exits 0, 6 when it could not, 64 on misuse.",
    "",
    "With --prune it removes the runs that are over and were last touched AGE ago or earlier, and prints them. A run",
    "is over at its fixed point, when a newer run has taken its place, or when its worktree is gone. Never removed: a",
    "run whose reviewers live, one that the next step would go on with, one that cannot be read. Exits 1 when a run",
    "that was to go could not be removed."
  ],
  operand: null,
  options: [
    { option: "--all", metavar: null, text: "The runs of every repository under the state root." },
    { option: "--prune", metavar: "AGE", text: "Remove what is over and this old: 30d, 12h, 1d12h." },
    { option: "--dry-run", metavar: null, text: "With --prune: say what would be removed, remove nothing." },
    rootOption,
    jsonOption
  ]
}

/** The command that the arguments describe, or what is wrong with them. */
export const command = (words: Words): Result.Result<RunsCommand | PruneCommand, string> =>
  Result.gen(function*() {
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const older = yield* valueOf(words, "--prune", age, null)
    const has = (option: string): boolean => words.given(option) !== null
    if (older === null && has("--dry-run")) return yield* Result.fail("--dry-run goes with --prune")
    const common = { stateRoot, all: has("--all"), json: has("--json") }
    return older === null
      ? { _tag: "Runs", ...common }
      : { _tag: "Prune", ...common, age: older, dryRun: has("--dry-run") }
  })
