// config: the subcommand `config`: shows each setting of a converging run, its value and where it comes from.
import { Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import { Narrator } from "../../drive/Narrator.ts"
import { Output } from "../../platform/Process.ts"
import { documentText, version } from "../../run/Document.ts"
import { defaultText, type Setting } from "../../run/Setting.ts"
import { jsonText } from "../../text/Json.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { type CallContext, subcommand } from "../command.ts"
import { configurable, configuredSettings, keyOf, type SourcedValue } from "../configuration.ts"
import { continuedRun } from "../continued.ts"
import { flagsOf, readCall, settingsFor, givenTexts, type Texts } from "../convergeOptions.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { operand, optionalOperand } from "../options.ts"
import { oneOf } from "../values.ts"

/** A setting: its value is a text, a list of texts, a switch, or null. */
const Row = Schema.Struct({
  key: Schema.String,
  value: Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean, Schema.Array(Schema.String)])),
  from: Schema.String
})
type Row = typeof Row.Type

/** The document of `config show --json`. */
export class ConfigDocument extends Schema.Class<ConfigDocument>("Config")({
  schema: version,
  settings: Schema.Array(Row)
}) {}

const valueOf = ({ bare, many, metavar }: Setting, texts: ReadonlyArray<string>): Row["value"] => {
  if (many === true) return texts
  const [text] = texts
  if (metavar === undefined) return text !== undefined
  return bare !== undefined && text === "" ? true : text ?? null
}

const rows = (sources: ReadonlyMap<string, SourcedValue>): ReadonlyArray<Row> =>
  configurable.map((setting) => {
    const sourced = sources.get(setting.flag)
    const fallback = setting.flag === "--agent" && (sources.get("--agent-cmd")?.texts.length ?? 0) > 0
      ? "command"
      : defaultText(setting)
    const texts = sourced?.texts ?? (fallback === null ? [] : [fallback])
    return { key: keyOf(setting.flag), value: valueOf(setting, texts), from: sourced?.from ?? "default" }
  })

const shown = ({ value }: Row): string => value === null ? "-" : oneLine(jsonText(value))

/** A line for each setting. */
export const configText = (sources: ReadonlyMap<string, SourcedValue>): string => {
  const all = rows(sources)
  const wide = (of: (row: Row) => string) => Math.min(40, Math.max(...all.map((row) => of(row).length)))
  const [keys, values] = [wide(({ key }) => key), wide(shown)]
  return all.map((row) => `${row.key.padEnd(keys)}  ${shown(row).padEnd(values)}  ${oneLine(row.from)}\n`).join("")
}

/** The same as one JSON document. */
export const configJson = (sources: ReadonlyMap<string, SourcedValue>): string =>
  documentText(ConfigDocument, { settings: rows(sources) })

/** The values on the command line, and the output format. */
export interface Request {
  readonly texts: Texts
  readonly json: boolean
}

const flags = {
  action: optionalOperand(operand("ACTION", oneOf(["show"] as const), "What to do: show, also without it.")),
  ...flagsOf(settingsFor("converge"))
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

const modes: ReadonlyArray<string> = ["--uncommitted", "--base", "--pr"]

const withMode = (texts: Texts): Texts =>
  modes.some((mode) => givenTexts(texts).has(mode)) ? texts : new Map([...texts, ["--base", ["HEAD"]]])

/** The request, or what is wrong with it. Without a mode, the settings apply to a change of one's own. */
export const read = (all: FlagValues): Result.Result<Request, string> =>
  Result.map(readCall(all, withMode), ({ json, texts }) => ({ texts: withMode(texts), json }))

/** Writes the settings. */
export const run = Effect.fn("config.run")(function*({ json, texts }: Request, { cwd }: CallContext) {
  let stderr = ""
  const { sources } = yield* Effect.provideService(configuredSettings(texts, yield* cwd, continuedRun), Narrator, {
    ...(yield* Narrator),
    say: (line) => Effect.sync(() => void (stderr += `${line}\n`))
  })
  yield* (yield* Output).write((json ? configJson : configText)(sources))
  return { ...exited(exits.done), stderr }
})

export const command = Command.make("config", flags).pipe(subcommand({
  read,
  run,
  about: [
    "shows each setting of a converging run, its value and where it comes from.",
    "",
    "A setting comes from the nearest source that names it: the command line, the repository's .ooda/config.toml,",
    "your own ooda-codex-review/config.toml in $XDG_CONFIG_HOME or ~/.config, or the defaults. Of the two files the",
    "smaller budget, the stricter --block and both lists of --protect count. With --pr or --trust-from the repository's",
    "file is the one of the base or of that commit; a run that goes on keeps the file that it began with. Reads only.",
    "Exits 0, 6 when it could not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review config show", description: "Show the settings of a change of your own." },
    { command: "ooda-codex-review config show --pr 12 --json", description: "Show those of another's change." }
  ]
}))
