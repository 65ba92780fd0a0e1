// Tend: what watching, pruning and the doctor end in: the exit code, and one line on standard error if they could not.
// The one rule: 0 done, 1 something wrong was found, 6 it could not; every failure has its place in the table.
import { Effect } from "effect"
import { jsonText } from "../core/text/JsonText.ts"
import { allFine, checkupText } from "../core/doctor/Checkup.ts"
import type { DoctorCommand, TendingCommand } from "./Subcommand.ts"
import { oneLine } from "../core/text/Text.ts"
import { examine } from "../upkeep/Doctor.ts"
import { Output } from "../services/Output.ts"
import type { Answer } from "./Answer.ts"
import { prune } from "../upkeep/Prune.ts"
import { watch } from "../upkeep/Watch.ts"

const doctor = Effect.fnUntraced(function*({ codexBin, json, stateRoot }: DoctorCommand, cwd: string) {
  const checks = yield* examine({ cwd, codexBin, stateRoot })
  const ok = allFine(checks)
  yield* (yield* Output).write(json ? `${jsonText({ schema: 1, ok, checks })}\n` : checkupText(checks))
  return ok
})

const run = Effect.fnUntraced(function*(command: TendingCommand, cwd: string) {
  switch (command._tag) {
    case "Watch":
      yield* watch(command, cwd)
      return 0
    case "Prune":
      return (yield* prune(command, cwd)) ? 0 : 1
    case "Doctor":
      return (yield* doctor(command, cwd)) ? 0 : 1
  }
})

const failures = {
  // The reader has gone away: there is nobody to be told.
  OutputClosed: 0,
  OutputFailed: 6,
  LogMissing: 6,
  LogDamaged: 6,
  LogRewound: 6,
  LogTooNew: 6,
  LogUnavailable: 6,
  NoSuchRun: 6,
  ReviewerFault: 6,
  GitFailed: 6,
  StoreFailed: 6
} as const satisfies Record<Effect.Error<ReturnType<typeof run>>["_tag"], number>

/** Carries out a command that attends to reviewers, runs or the machine, in the directory `cwd`. */
export const tend = Effect.fn("Tend.tend")((command: TendingCommand, cwd: string) =>
  Effect.match(run(command, cwd), {
    onSuccess: (code): Answer => ({ stderr: "", code }),
    onFailure: (error): Answer => ({
      stderr: error._tag === "OutputClosed" ? "" : `ooda-codex-review: ${oneLine(error.message)}\n`,
      code: failures[error._tag]
    })
  })
)
