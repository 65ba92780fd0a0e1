// doctor: the arguments of `doctor`.
// The one rule: it looks where a step with the same options would look.
import { Result } from "effect"
import { defaults } from "../core/loop/Settings.ts"
import type { DoctorCommand } from "./Subcommand.ts"
import { path } from "../cli/values.ts"
import { type CommandSpec, jsonOption, rootOption, valueOf, type Words } from "./words.ts"

/** The table of `doctor`. */
export const spec: CommandSpec = {
  name: "doctor",
  about: [
    "Looks at everything that reviews need: Node, git, codex and its login, its session files, the state root and its",
    "locks, gh. Each line says what was found and, where it is wrong, the command that mends it. Asks no model;",
    "exits 0 when all that is needed is fine, 1 when something is wrong, 6 when it could not, 64 on misuse."
  ],
  operand: null,
  options: [
    { option: "--codex-bin", metavar: "PATH", text: "The codex program. Default codex, from PATH." },
    rootOption,
    jsonOption
  ]
}

/** The command that the arguments describe, or what is wrong with them. */
export const command = (words: Words): Result.Result<DoctorCommand, string> =>
  Result.gen(function*() {
    const codexBin = yield* valueOf(words, "--codex-bin", path, defaults.codexBin)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    return { _tag: "Doctor", stateRoot, codexBin, json: words.given("--json") !== null }
  })
