// convergeFlags: the flags of `converge`, and what they ask for together.
// The texts of its settings go through the parsers of a step, so that both refuse the same in the same words.
import { Result } from "effect"
import { Command, Flag } from "effect/cli"
import { excludeEachOther } from "../cli/targets.ts"
import { type ConvergeFlag, convergeTable } from "./convergeTable.ts"
import { checkedAlone, telling, type Texts } from "./convergeSettings.ts"
import { optional, rootFlags } from "./flags.ts"

/** What is asked for. */
export interface Asked {
  /** What the command line gives: the nearest of the sources of `configured`. */
  readonly texts: Texts
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
  // `--isolate=false` turns off what a file turns on; a switch that is left out says nothing.
  switches: record(
    switches,
    (flag) => optional(Flag.Boolean(named(flag)).pipe(Flag.withoutNegation, Flag.withDescription(flag.text)))
  ),
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
    ...Object.entries(switches).flatMap(([option, on]) => on === null ? [] : [[option, on ? [""] : []] as const]),
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
    const on = telling(told)
    const clash = ["--json", "--events"].filter((option) => on.has(option))
    if (clash.length > 1) return yield* Result.fail(excludeEachOther(clash))
    yield* checkedAlone(on)
    return {
      texts: told,
      fresh: on.has("--fresh"),
      inspect: on.has("--inspect"),
      json: on.has("--json"),
      events: on.has("--events"),
      notify: on.get("--notify")?.[0] ?? null
    }
  })
