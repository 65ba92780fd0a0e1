// doctor: the subcommand `doctor`: looks at the machine as a step with the same options would find it.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { path } from "../cli/values.ts"
import { allFine, checksJson, checksText } from "../core/doctor/Check.ts"
import { defaults } from "../core/loop/Settings.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { Output } from "../services/Output.ts"
import { examine } from "../upkeep/Doctor.ts"
import { type Called, subcommand } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { json, rootFlags, valuedAsInStep } from "./flags.ts"

/** What a step would be given. */
export interface Asked {
  readonly stateRoot: string | null
  readonly codexBin: string
  readonly json: boolean
}

const flags = {
  codexBin: valuedAsInStep("--codex-bin", path),
  ...rootFlags,
  json
}

type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = ({ codexBin, json, stateRoot }: Given): Result.Result<Asked, string> =>
  Result.succeed({ stateRoot, codexBin: codexBin ?? defaults.codexBin, json })

/** Writes what was found. */
export const run = Effect.fn("doctor.run")(function*({ codexBin, json, stateRoot }: Asked, { cwd }: Called) {
  const checks = yield* examine({ cwd: yield* cwd, codexBin, stateRoot })
  yield* (yield* Output).write(json ? `${jsonText(checksJson(checks))}\n` : checksText(checks))
  return exited(allFine(checks) ? exits.done : exits.wrong)
})

/** The subcommand. */
export const command = Command.make("doctor", flags).pipe(subcommand({
  read,
  run,
  about: [
    "looks at everything that reviews need on this machine, and says what mends it.",
    "",
    "It looks at Node, git, codex and its login, its session files, the state root and its locks, and gh. Each line",
    "says what was found and, where it is wrong, the command that mends it. Asks no model; exits 0 when all that is",
    "needed is fine, 1 when something is wrong, 6 when it could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review doctor", description: "Look before the first review." },
    {
      command: "ooda-codex-review doctor --codex-bin ./codex --json",
      description: "Look with another codex, for a program."
    }
  ]
}))
