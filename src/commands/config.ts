// config: the subcommand `config`: shows each setting of a converging run, its value and where it comes from.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { excludeEachOther } from "../cli/targets.ts"
import { oneOf } from "../cli/values.ts"
import { Narrator } from "../services/Narrator.ts"
import { Output } from "../services/Output.ts"
import { type Called, subcommand } from "./Command.ts"
import { configJson, configText } from "./ConfigText.ts"
import { configured } from "./Configured.ts"
import { flags as convergeFlags } from "./convergeFlags.ts"
import { textsGiven } from "./flagTable.ts"
import { checkedAlone, telling, type Texts } from "./convergeSettings.ts"
import { exited, exits } from "./Exits.ts"
import { operand } from "./flags.ts"

/** What the command line gives, and how the answer looks. */
export interface Asked {
  readonly texts: Texts
  readonly json: boolean
}

const { commit: _, ...shared } = convergeFlags
const flags = { action: operand("ACTION", oneOf(["show"] as const), "What to do: show."), ...shared }

type Given = Command.Command.Config.Infer<typeof flags>

const modes: ReadonlyArray<string> = ["--uncommitted", "--base", "--pr"]

/** What is asked for, or what is wrong with it. Without a mode the settings are those of a change of one's own. */
export const read = (all: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const told = textsGiven(all)
    const given = telling(told)
    const texts: Texts = modes.some((mode) => given.has(mode)) ? told : new Map([...told, ["--base", ["HEAD"]]])
    const json = given.has("--json")
    if (json && given.has("--events")) return yield* Result.fail(excludeEachOther(["--json", "--events"]))
    yield* checkedAlone(telling(texts))
    return { texts, json }
  })

/** Writes the settings. */
export const run = Effect.fn("config.run")(function*({ json, texts }: Asked, { cwd }: Called) {
  let stderr = ""
  const { sources } = yield* Effect.provideService(configured(texts, yield* cwd), Narrator, {
    say: (line) => Effect.sync(() => void (stderr += `${line}\n`))
  })
  yield* (yield* Output).write((json ? configJson : configText)(sources))
  return { ...exited(exits.done), stderr }
})

/** The subcommand. */
export const command = Command.make("config", flags).pipe(subcommand({
  read,
  run,
  about: [
    "shows each setting of a converging run, its value and where it comes from.",
    "",
    "A setting comes from the nearest source that names it: the command line, the repository's .ooda/config.toml,",
    "your own ooda-codex-review/config.toml in $XDG_CONFIG_HOME or ~/.config, or the defaults. With --pr or",
    "--trust-from the repository's file is the one of the base or of that commit. Reads only. Exits 0, 6 when it",
    "could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review config show", description: "Show the settings of a change of your own." },
    { command: "ooda-codex-review config show --pr 12 --json", description: "Show those of another's change." }
  ]
}))
