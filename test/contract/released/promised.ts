// promised: what a version promises to whoever calls it, reads its documents or imports it, as one document.
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Completions } from "effect/cli"
import { parse } from "yaml"
import { flags } from "../../../src/cli/flags.ts"
import { choices, whole } from "../../../src/cli/completions.ts"
import { exits } from "../../../src/platform/Failure.ts"
import { options } from "../../../src/hook/Flags.ts"
import { exitCodes } from "../../../src/run/Outcome.ts"
import { toldFlags } from "../toldFlags.ts"
import type { Schema } from "./keeps.ts"

export const root = resolve(import.meta.dirname, "../../..")

/** The promises of a version. */
export interface Promised {
  readonly version: string
  /** Exit codes by the names of outcomes, and by what subcommands call them. */
  readonly exits: Readonly<Record<string, number>>
  /** `name flag METAVAR` of every flag; a step has no name. */
  readonly flags: ReadonlyArray<string>
  /** `name ARGUMENT` of every argument, once more where it may be left out; `name ARGUMENT word` of every word. */
  readonly arguments: ReadonlyArray<string>
  /** `input name` and `output name` of the GitHub Action. */
  readonly action: ReadonlyArray<string>
  /** `entry name` of everything that the library exports. */
  readonly exports: ReadonlyArray<string>
  /** The schemas of JSON documents, by their files. */
  readonly schemas: Readonly<Record<string, Schema>>
}

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))

/** The version that is being made. */
export const versionNow: string = readJson("package.json").version

const exportsOf = async (): Promise<ReadonlyArray<string>> => {
  const entries = { ".": await import("../../../src/index.ts"), "./testing": await import("../../../src/testing.ts") }
  return Object.entries(entries).flatMap(([entry, all]) => Object.keys(all).map((name) => `${entry} ${name}`)).sort()
}

const argumentsNow = (): ReadonlyArray<string> =>
  [
    ...Completions.fromCommand(whole).subcommands.flatMap(({ arguments: all, name }) =>
      all.flatMap((one) => [`${name} ${one.name}`, ...(one.required ? [] : [`${name} ${one.name}, left out`])])
    ),
    ...Object.entries(choices).flatMap(([of, words]) => words.map((word) => `${of} ${word}`))
  ].sort()

const actionNow = (): ReadonlyArray<string> => {
  const { inputs, outputs } = parse(readFileSync(join(root, "action.yml"), "utf8"))
  return [...Object.keys(inputs).map((one) => `input ${one}`), ...Object.keys(outputs).map((one) => `output ${one}`)]
}

/** What the present sources promise. */
export const promisedNow = async (): Promise<Promised> => {
  const told = (await toldFlags()).map(({ command, flag, metavar }) => `${command} ${flag} ${metavar}`.trim())
  const own = flags.map(({ metavar, option }) => ` ${option} ${metavar ?? ""}`.trimEnd())
  const folder = join("docs", "schemas")
  const ofHooks = [...Object.keys(options), "--quiet"].map((option) => `hook, for an event: ${option}`)
  return {
    version: versionNow,
    exits: { ...exitCodes, ...exits },
    flags: [...told, ...own, ...ofHooks].sort(),
    arguments: argumentsNow(),
    action: actionNow().toSorted(),
    exports: await exportsOf(),
    schemas: Object.fromEntries(
      readdirSync(join(root, folder)).sort().map((name) => [name, readJson(join(folder, name))])
    )
  }
}

/** The record of a version: that of its line, such as 0.1. */
export const recordOf = (version: string): string => `fixtures/released/${version.replace(/\.\d+$/, "")}.json`

/** The promises that stand in a record. */
export const promisedIn = (path: string): Promised => readJson(path)
