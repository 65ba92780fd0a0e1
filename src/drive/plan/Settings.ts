// Settings: everything that a run of a plan can be told: what a converging run is told, and its own.
import { Exit, Result, Schema } from "effect"
import { ConvergeSettings, make as makeDriven, wrongIn } from "../converge/Settings.ts"
import type { Limits } from "../Budgets.ts"

/** The bounds of the numbers. */
export const bounds = { rounds: { least: 0, most: 20 }, tasks: { least: 1, most: 1_000_000 } } as const

/** The most fixes of one cycle, where nobody says otherwise. */
export const defaultRounds = 5

const whole = ({ least, most }: { readonly least: number; readonly most: number }) =>
  Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most }))

/** The tasks that are wanted: all of them, so many at most in one call, or those of certain titles or indexes. */
export const Wanted = Schema.TaggedUnion({
  All: {},
  AtMost: { count: whole(bounds.tasks) },
  Named: { names: Schema.Array(Schema.String) }
})
export type Wanted = typeof Wanted.Type

/** The settings of a plan run. */
export const ImplementSettings = Schema.Struct({
  /** Tests, agents, budgets and consent, and how the plan's code is converged in the end. */
  driven: ConvergeSettings,
  /** The most fixes of one cycle. */
  rounds: whole(bounds.rounds).pipe(Schema.withDecodingDefault(Exit.succeed(defaultRounds))),
  wanted: Wanted.pipe(Schema.withDecodingDefault(Exit.succeed({ _tag: "All" } as const))),
  /** What follows when every task that is wanted is done. */
  then: Schema.NullOr(Schema.Literal("converge")).pipe(Schema.withDecodingDefault(Exit.succeed(null)))
})
export type ImplementSettings = typeof ImplementSettings.Type

const decode = Schema.decodeUnknownResult(ImplementSettings, { errors: "all", onExcessProperty: "error" })

/**
 * Settings for programs: what `given` leaves out has its default. Throws a RangeError that names a setting that is
 * wrong, as the command line would.
 */
export const make = (given: typeof ImplementSettings.Encoded): ImplementSettings => {
  const settings = decode({ ...given, driven: makeDriven(given.driven) })
  if (Result.isFailure(settings)) throw new RangeError(wrongIn(settings.failure))
  return settings.success
}

/** The settings that decide. */
export interface DecideSettings
  extends Limits, Pick<ConvergeSettings, "allow" | "commitFixes" | "fixAttempts" | "tests" | "undoOnRed">
{
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
