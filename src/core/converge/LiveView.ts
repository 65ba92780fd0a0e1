// LiveView: how far a driven run is, what it has cost, and what is worked on now, as lines for a person who watches.
// The lines are for people. No program reads them back.
import type { Limits, Used } from "../driven/Budgets.ts"
import type { Working } from "../loop/Row.ts"
import { type Level, levels, rank } from "../run/Level.ts"
import { counted, narrowSpan, shortCount } from "../text/Phrases.ts"
import { width } from "../text/Width.ts"

/** Where a driven run stands. `work` is what its driver has under way: agents and tests, not reviewers. */
export interface LiveView {
  readonly floor: Level
  readonly level: Level
  /** Null where only the driver knows it. */
  readonly ceiling: Level | null
  readonly batch: number
  /** The last round, null before the first one: whether it is open, and how many findings it began with. */
  readonly round: { readonly number: number; readonly open: boolean; readonly findings: number } | null
  readonly used: Used
  readonly limits: Limits
  /** How many of the tokens agents have used. */
  readonly byAgents: number
  readonly work: ReadonlyArray<Working>
}

const gap = "  "

/** How the present level is marked among the others. */
export const here = (level: Level): string => `[${level}]`

const ladder = ({ ceiling, floor, level }: LiveView): string =>
  ceiling === null
    ? `level ${level}`
    : levels.filter((one) => rank(one) >= rank(floor) && rank(one) <= rank(ceiling))
      .map((one) => one === level ? here(one) : one).join(" ")

const roundText = ({ round }: LiveView): ReadonlyArray<string> => {
  if (round === null) return []
  const { findings, number, open } = round
  if (!open) return [`${counted(number, "round")} done`]
  return [`round ${number}`, ...(findings === 0 ? [] : [counted(findings, "open finding")])]
}

const of = (used: string, limit: string | null): string => limit === null ? used : `${used} of ${limit}`

const cost = ({ byAgents, limits, used }: LiveView): string => {
  const { maxRounds, maxTime, maxTokens } = limits
  const rounds = maxRounds === null ? counted(used.rounds, "round") : `${used.rounds} of ${counted(maxRounds, "round")}`
  const time = of(narrowSpan(used.time), maxTime === null ? null : narrowSpan(maxTime))
  const tokens = of(shortCount(used.tokens), maxTokens === null ? null : shortCount(maxTokens))
  const agents = byAgents === 0 ? "" : ` (${shortCount(byAgents)} by agents)`
  return `used: ${rounds}, ${time}, ${tokens} tokens${agents}`
}

/** How far the run is: its level, batch and round. */
export const placeText = (view: LiveView): string => [ladder(view), `batch ${view.batch}`, ...roundText(view)].join(gap)

/** How far the run is and what it has cost: on one line where both fit into so many columns, else on two. */
export const headLines = (view: LiveView, columns: number): ReadonlyArray<string> => {
  const place = placeText(view)
  const together = `${place}${gap}${gap}${cost(view)}`
  return width(together) <= columns ? [together] : [place, cost(view)]
}
