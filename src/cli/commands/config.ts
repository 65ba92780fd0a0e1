// ConfigText: each setting of a converging run with its value and where it comes from, for people and for programs.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { Narrator } from "../../drive/Narrator.ts"
import { Output } from "../../platform/Process.ts"
import { jsonText } from "../../text/Json.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { type Called, subcommand } from "../command.ts"
import { configurable, configured, keyOf, type Sourced } from "../configuration.ts"
import {
  checkedAlone,
  type ConvergeFlag,
  type ConvergeOption,
  flags as convergeFlags,
  telling,
  type Texts,
  textsGiven
} from "../convergeOptions.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { operand } from "../options.ts"
import { excludeEachOther } from "../targetOptions.ts"
import { oneOf } from "../values.ts"

/** The value of a setting that no source names. A setting without a line here has no value then. */
export const defaultTexts: ReadonlyMap<string, string> = new Map<ConvergeOption, string>([
  ["--level", "low"],
  ["--ceiling", "xhigh"],
  ["-n", "3"],
  ["--identity-timeout", "60s"],
  ["--block", "P3"],
  ["--retries", "2"],
  ["--review-timeout", "60m"],
  ["--idle-timeout", "20m"],
  ["--codex-bin", "codex"],
  ["--test-timeout", "30m"],
  ["--fix-attempts", "2"],
  ["--retro", "agent"],
  ["--patience", "6"],
  ["--max-rounds", "20"],
  ["--agent", "codex"],
  ["--agent-effort", "high"],
  ["--agent-timeout", "60m"]
])

/** A setting: its value is a text, a list of texts, whether it is on, or null. */
interface Row {
  readonly key: string
  readonly value: string | boolean | null | ReadonlyArray<string>
  readonly from: string
}

const valueOf = (flag: ConvergeFlag, texts: ReadonlyArray<string>): Row["value"] => {
  if (flag.many === true) return texts
  const [text] = texts
  if (flag.metavar === null) return text !== undefined
  return flag.bare === text && text !== undefined ? true : text ?? null
}

const rows = (sources: ReadonlyMap<string, Sourced>): ReadonlyArray<Row> =>
  configurable.map((flag) => {
    const sourced = sources.get(flag.option)
    const fallback = flag.option === "--agent" && (sources.get("--agent-cmd")?.texts.length ?? 0) > 0
      ? "command"
      : defaultTexts.get(flag.option)
    const texts = sourced?.texts ?? (fallback === undefined ? [] : [fallback])
    return { key: keyOf(flag.option), value: valueOf(flag, texts), from: sourced?.from ?? "default" }
  })

const shown = ({ value }: Row): string => value === null ? "-" : oneLine(jsonText(value))

/** A line for each setting. */
export const configText = (sources: ReadonlyMap<string, Sourced>): string => {
  const all = rows(sources)
  const wide = (of: (row: Row) => string) => Math.min(40, Math.max(...all.map((row) => of(row).length)))
  const [keys, values] = [wide(({ key }) => key), wide(shown)]
  return all.map((row) => `${row.key.padEnd(keys)}  ${shown(row).padEnd(values)}  ${oneLine(row.from)}\n`).join("")
}

/** The same as one JSON document. */
export const configJson = (sources: ReadonlyMap<string, Sourced>): string =>
  `${jsonText({ settings: rows(sources) }, 2)}\n`

// config: the subcommand `config`: shows each setting of a converging run, its value and where it comes from.

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
