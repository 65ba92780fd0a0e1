// ConfigText: each setting of a converging run with its value and where it comes from, for people and for programs.
import { jsonText } from "../core/text/JsonText.ts"
import { oneLine } from "../core/text/Text.ts"
import { configurable, keyOf, type Sourced } from "./ConfigKeys.ts"
import type { ConvergeFlag, ConvergeOption } from "./convergeTable.ts"

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
