// doctor: the subcommand `doctor`: checks the machine as a step with the same options would find it.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { allFine, checksJson, checksText } from "../../read/doctor/Check.ts"
import { checkStore, type StoreFacts } from "../../read/doctor/Checks.ts"
import { FleetStore } from "../../fleet/FleetStore.ts"
import { outputPage } from "../../platform/Page.ts"
import { Output } from "../../platform/Process.ts"
import type { StoreFailed } from "../../run/RunStore.ts"
import { examine } from "../../read/doctor/Doctor.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { Fleets } from "../fleets.ts"
import { flagsFor, json, storeFlags } from "../options.ts"
import { storeOf } from "../targetOptions.ts"

/** The options of a step. */
export interface Request {
  readonly stateRoot: string | null
  readonly store: string | null
  readonly codexBin: string
  readonly json: boolean
}

const flags = {
  ...flagsFor({ codexBin: stepSettings.codexBin }),
  ...storeFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request, or what is wrong with the arguments together. */
export const read = ({ codexBin, json, stateRoot, store }: FlagValues): Result.Result<Request, string> =>
  Result.succeed({ stateRoot, store, codexBin, json })

const troubleOf = ({ message, reason }: StoreFailed): StoreFacts => {
  if (reason._tag === "NotDurable") return { kind: "Lossy", text: message }
  if (reason._tag === "StoreNewer") return { kind: "Newer", text: message }
  const isUnprepared = reason._tag === "DatabaseRefused" && reason.why === "unprepared"
  return { kind: isUnprepared ? "Unprepared" : "Away", text: message }
}

/** Checks the store in a database that a step would use, if any. */
const storeChecks = Effect.fnUntraced(
  function*(asked: Request) {
    const url = yield* storeOf(asked)
    if (url === null) return []
    const facts = Effect.provide(FleetStore.use(({ facts }) => facts), (yield* Fleets).store(url))
    return [checkStore(yield* Effect.catch(facts, (failed) => Effect.succeed(troubleOf(failed))))]
  },
  Effect.catchTag("StoreUnnamed", ({ message }) => Effect.succeed([checkStore({ kind: "Misnamed", text: message })]))
)

/** Writes the results. */
export const run = Effect.fn("doctor.run")(function*(asked: Request, { columns = null, cwd }: CallContext) {
  const { codexBin, json, stateRoot } = asked
  const checks = [...yield* examine({ cwd: yield* cwd, codexBin, stateRoot }), ...yield* storeChecks(asked)]
  const text = json ? checksJson(checks) : checksText(checks, yield* outputPage(columns))
  yield* (yield* Output).write(text)
  return exited(allFine(checks) ? exits.done : exits.wrong)
})

export const command = Command.make("doctor", flags).pipe(subcommand({
  read,
  run,
  about: [
    "looks at everything that reviews need on this machine, and says what fixes it.",
    "",
    "It looks at Node, git, codex and its login, its session files, the state root and its locks, gh, and the store in",
    "a database where one is named. Each line says what was found and, where it is wrong, the command that fixes it.",
    "Asks no model; exits 0 when all that is needed is fine, 1 when something is wrong, 6 when it could not, 64 on",
    "misuse."
  ],
  examples: [
    { command: "ooda-codex-review doctor", description: "Look before the first review." },
    {
      command: "ooda-codex-review doctor --codex-bin ./codex --json",
      description: "Look with another codex, for a program."
    }
  ]
}))
