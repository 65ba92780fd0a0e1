// convergeFlags: the flags of `converge`, and what they ask for together.
// The texts of its settings go through the parsers of a step, so that both refuse the same in the same words.
import { Result } from "effect"
import { Command, Flag } from "effect/cli"
import { excludeEachOther } from "../cli/targets.ts"
import type { ConvergeSettings } from "../core/converge/Settings.ts"
import { type ConvergeFlag, convergeTable } from "./convergeTable.ts"
import { type NoTests, settingsOf, type Texts } from "./convergeSettings.ts"
import { optional, rootFlags, switched } from "./flags.ts"

/** What is asked for. */
export interface Asked {
  /** What the command line gives: the nearest of the sources of `configured`. */
  readonly texts: Texts
  /** The settings, or that neither tests nor `--no-test` are named: `testsMissing` makes the usage error of it. */
  readonly settings: ConvergeSettings | NoTests
  readonly fresh: boolean
  readonly inspect: boolean
  readonly json: boolean
  readonly events: boolean
  readonly notify: string | null
}

const named = ({ option }: ConvergeFlag): string => option.replace(/^-+/, "")
const described = (flag: ConvergeFlag) => Flag.String(named(flag)).pipe(Flag.withDescription(flag.text))
const valued = (flag: ConvergeFlag) => Flag.withMetavar(described(flag), flag.metavar ?? "TEXT")

const switches = convergeTable.filter(({ metavar }) => metavar === null)
const lists = convergeTable.filter(({ many }) => many === true)
const texts = convergeTable.filter(({ many, metavar }) => metavar !== null && many !== true)

const record = <A>(of: ReadonlyArray<ConvergeFlag>, make: (flag: ConvergeFlag) => Flag.Flag<A>) =>
  Object.fromEntries(of.map((flag) => [flag.option, make(flag)]))

/** The flags, for a command of effect/cli. Every text is read by `read`. */
export const flags = {
  texts: record(texts, (flag) => {
    const text = valued(flag)
    return optional(flag.bare === undefined ? text : Flag.withOptionalValue(text, flag.bare))
  }),
  lists: record(lists, (flag) => Flag.atLeast(valued(flag), 0)),
  switches: record(switches, (flag) => switched(named(flag), flag.text)),
  commit: optional(Flag.String("commit").pipe(Flag.withHidden)),
  trustStateRoot: rootFlags.trustStateRoot
}

/** What was given on the command line. */
export type Given = Command.Command.Config.Infer<typeof flags>

/** The texts of what was given. */
export const textsGiven = ({ lists, switches, texts, trustStateRoot }: Omit<Given, "commit">): Texts =>
  new Map([
    ...Object.entries(texts).flatMap(([option, text]) => text === null ? [] : [[option, [text]] as const]),
    ...Object.entries(lists).filter(([, all]) => all.length > 0),
    ...Object.entries(switches).flatMap(([option, on]) => on ? [[option, [""]] as const] : []),
    ...(trustStateRoot ? [["--trust-state-root", [""]] as const] : [])
  ])

/** What is asked for, or one line that says what is wrong. */
export const read = (all: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    if (all.commit !== null) {
      return yield* Result.fail(
        "--commit cannot converge: a commit does not change; name its branch with --base or --pr"
      )
    }
    const told = textsGiven(all)
    const clash = ["--json", "--events"].filter((option) => told.has(option))
    if (clash.length > 1) return yield* Result.fail(excludeEachOther(clash))
    const settings = yield* settingsOf(told)
    return {
      texts: told,
      settings,
      fresh: told.has("--fresh"),
      inspect: told.has("--inspect"),
      json: told.has("--json"),
      events: told.has("--events"),
      notify: told.get("--notify")?.[0] ?? null
    }
  })
