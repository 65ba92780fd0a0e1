// Settings: the settings of a plan run: its own, and all settings of a converging run.
import { Exit, Schema } from "effect"
import type { Setting } from "../../run/Setting.ts"
import { fieldsOf, readers } from "../../run/Settings.ts"
import { ConvergeSettings } from "../converge/Settings.ts"
import type { CommonSettings } from "../Decide.ts"

/** The definitions of the settings of a plan run beside those of `converge`, by their names. */
export const planSettings = {
  rounds: {
    flag: "--rounds",
    metavar: "N",
    kind: "count",
    bounds: { least: 0, most: 20 },
    default: 5,
    text: "Fixes of one piece of work, at most."
  },
  wanted: {
    flag: "--tasks",
    metavar: "N|TITLE",
    kind: "line",
    bounds: { least: 1, most: 1_000_000 },
    many: true,
    otherwise: "all",
    text: "This many tasks at most, or the task with this title. A title may be repeated"
  },
  then: {
    flag: "--then",
    metavar: "WHAT",
    kind: "word",
    words: ["converge"],
    text: "What follows when the tasks are done: converge, to the fixed point of their code."
  }
} as const satisfies Record<string, Setting>

const { least: minimum, most: maximum } = planSettings.wanted.bounds

/** The tasks that are wanted: all, at most so many in one call, or some by title or index. */
export const Wanted = Schema.TaggedUnion({
  All: {},
  AtMost: { count: Schema.Int.check(Schema.isBetween({ minimum, maximum })) },
  Named: { names: Schema.Array(Schema.String) }
})
export type Wanted = typeof Wanted.Type

/** The settings of a plan run. */
export const ImplementSettings = Schema.Struct({
  /** Tests, agents, budgets and consent, and how the plan's code is converged in the end. */
  driven: ConvergeSettings,
  ...fieldsOf(planSettings),
  wanted: Wanted.pipe(Schema.withDecodingDefault(Exit.succeed({ _tag: "All" } as const)))
})
export type ImplementSettings = typeof ImplementSettings.Type

export const { make } = readers(ImplementSettings)

/** The settings that decide. */
export interface DecideSettings extends CommonSettings {
  readonly rounds: number
  readonly then: "converge" | null
}

/** The settings that decide. A plan has no limit of rounds over all its cycles. */
export const decideSettings = ({ driven, rounds, then }: ImplementSettings): DecideSettings => ({
  ...driven,
  maxRounds: null,
  rounds,
  then
})
