// ConfigKeys: the keys of configuration files, and whose value counts: the nearest source's.
// Whatever runs a program, or allows something, is never taken from the repository: its files may come from a stranger.
import { Result } from "effect"
import { named } from "../cli/quoted.ts"
import { readToml } from "../core/config/Toml.ts"
import { nearest } from "../core/text/Nearest.ts"
import type { Texts } from "./convergeSettings.ts"
import { type ConvergeFlag, type ConvergeOption, convergeTable } from "./convergeTable.ts"

/** Where values come from. */
export interface Source {
  /** What the source is called: the path of a file, or the command line. */
  readonly name: string
  /** The texts of each flag that it names: none where it turns something off. */
  readonly texts: Texts
}

/** A flag with its texts and the name of the source that they are from. */
export interface Sourced {
  readonly texts: ReadonlyArray<string>
  readonly from: string
}

const ofOneCall: ReadonlyArray<ConvergeOption> = [
  "--uncommitted",
  "--base",
  "--pr",
  "--trust-from",
  "--fresh",
  "--inspect",
  "--json",
  "--events"
]
const ofPeople: ReadonlyArray<ConvergeOption> = ["--agent-cmd", "--notify", "--codex-bin", "--allow", "--state-root"]
const has = (options: ReadonlyArray<string>, { option }: ConvergeFlag): boolean => options.includes(option)

/** What a flag is called in a file. */
export const keyOf = (option: string): string => option.replace(/^-+/, "")

/** The flags that a file can set. */
export const configurable: ReadonlyArray<ConvergeFlag> = convergeTable.filter((flag) => !has(ofOneCall, flag))
const keys = new Map(configurable.map((flag) => [keyOf(flag.option), flag]))

const isText = (value: unknown): value is string => typeof value === "string"

/** The texts that a value stands for, or what is expected of it. */
const textsOf = (
  { bare, many, metavar }: ConvergeFlag,
  value: unknown
): Result.Result<ReadonlyArray<string>, string> => {
  if (metavar === null || bare !== undefined) {
    if (typeof value === "boolean") return Result.succeed(value ? [""] : [])
    if (metavar === null) return Result.fail("expected true or false")
  }
  if (many === true) {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return all.every(isText) ? Result.succeed(all) : Result.fail("expected a list of texts")
  }
  if (isText(value)) return Result.succeed([value])
  return Number.isSafeInteger(value)
    ? Result.succeed([String(value)])
    : Result.fail("expected a text or a whole number")
}

const unknownKey = (key: string): string => {
  const meant = key.length > 32 ? null : nearest(key.toLowerCase().replaceAll("_", "-"), [...keys.keys()])
  return `unknown key ${named(key)}${meant === null ? "" : ` (did you mean ${meant}?)`}`
}

/** What the text of a configuration file sets, or one line that names the file and says what is wrong. */
export const readConfig = (name: string, text: string, of: "user" | "repository"): Result.Result<Source, string> =>
  Result.gen(function*() {
    const texts = new Map<string, ReadonlyArray<string>>()
    for (const [key, value] of yield* readToml(text)) {
      const flag = keys.get(key)
      if (flag === undefined) return yield* Result.fail(`${unknownKey(key)} [correct or remove it]`)
      if (of === "repository" && has(ofPeople, flag)) {
        return yield* Result.fail(
          `${key} is not taken from a repository [name it on the command line, or in your own configuration file]`
        )
      }
      texts.set(flag.option, yield* Result.mapError(textsOf(flag, value), (why) => `${key}: ${why} [correct it]`))
    }
    return { name, texts }
  }).pipe(Result.mapError((problem) => `${name}: ${problem}`))

/** Each says that the other does not hold. */
const contrary = new Map([["--test", "--no-test"], ["--no-test", "--test"]])

/** The texts that count, of sources from the farthest to the nearest: for each flag those of the nearest. */
export const merged = (sources: ReadonlyArray<Source>): ReadonlyMap<string, Sourced> => {
  const all = new Map<string, Sourced>()
  for (const { name, texts } of sources) {
    for (const [option, own] of texts) {
      const other = contrary.get(option)
      if (other !== undefined && own.length > 0 && !texts.has(other)) all.delete(other)
      all.set(option, { texts: own, from: name })
    }
  }
  return all
}
