// flagTable: the flags of a table, for a command of effect/cli, and the texts that were given for them.
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import type { Texts } from "./convergeSettings.ts"
import type { ConvergeFlag } from "./convergeTable.ts"
import { optional, rootFlags } from "./flags.ts"

const named = ({ option }: ConvergeFlag): string => option.replace(/^-+/, "")
const described = (flag: ConvergeFlag) => Flag.String(named(flag)).pipe(Flag.withDescription(flag.text))
const valued = (flag: ConvergeFlag) => Flag.withMetavar(described(flag), flag.metavar ?? "TEXT")

const record = <A>(of: ReadonlyArray<ConvergeFlag>, make: (flag: ConvergeFlag) => Flag.Flag<A>) =>
  Object.fromEntries(of.map((flag) => [flag.option, make(flag)]))

/** The flags of a table. Every text is read by whoever reads the arguments together. */
export const flagsOf = (table: ReadonlyArray<ConvergeFlag>) => ({
  texts: record(table.filter(({ many, metavar }) => metavar !== null && many !== true), (flag) => {
    const text = valued(flag)
    return optional(flag.bare === undefined ? text : Flag.withOptionalValue(text, flag.bare))
  }),
  lists: record(table.filter(({ many }) => many === true), (flag) => Flag.atLeast(valued(flag), 0)),
  // `--isolate=false` turns off what a file turns on; a switch that is left out says nothing.
  switches: record(
    table.filter(({ metavar }) => metavar === null),
    (flag) => optional(Flag.Boolean(named(flag)).pipe(Flag.withoutNegation, Flag.withDescription(flag.text)))
  ),
  trustStateRoot: rootFlags.trustStateRoot
})

/** What was given on the command line for the flags of a table. */
export type TableGiven = Command.Command.Config.Infer<ReturnType<typeof flagsOf>>

/** The texts of what was given. */
export const textsGiven = ({ lists, switches, texts, trustStateRoot }: TableGiven): Texts =>
  new Map([
    ...Object.entries(texts).flatMap(([option, text]) => text === null ? [] : [[option, [text]] as const]),
    ...Object.entries(lists).filter(([, all]) => all.length > 0),
    ...Object.entries(switches).flatMap(([option, on]) => on === null ? [] : [[option, on ? [""] : []] as const]),
    ...(trustStateRoot ? [["--trust-state-root", [""]] as const] : [])
  ])
