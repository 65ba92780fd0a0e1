// doctor: the subcommand `doctor`: looks at the machine as a step with the same options would find it.
import { Effect, Result } from "effect"
import { path } from "../cli/values.ts"
import { allFine, checksJson, checksText } from "../core/doctor/Check.ts"
import { defaults } from "../core/loop/Settings.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { Output } from "../services/Output.ts"
import { examine } from "../upkeep/Doctor.ts"
import type { Called } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { type CommandSpec, jsonOption, rootOptions, valueOf, type Words } from "./words.ts"

/** What a step would be given. */
export interface Asked {
  readonly stateRoot: string | null
  readonly codexBin: string
  readonly json: boolean
}

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
    ...rootOptions,
    jsonOption
  ]
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const codexBin = yield* valueOf(words, "--codex-bin", path, defaults.codexBin)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    return { stateRoot, codexBin, json: words.given("--json") !== null }
  })

/** Writes what was found. */
export const run = Effect.fn("doctor.run")(function*({ codexBin, json, stateRoot }: Asked, { cwd }: Called) {
  const checks = yield* examine({ cwd: yield* cwd, codexBin, stateRoot })
  yield* (yield* Output).write(json ? `${jsonText(checksJson(checks))}\n` : checksText(checks))
  return exited(allFine(checks) ? exits.done : exits.wrong)
})
