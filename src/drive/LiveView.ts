// LiveView: how far a driven run is, what it has cost, and what is worked on now, as lines for a person who watches.
// The lines are for people. No program reads them back.
import type { Heading, WorkRow } from "../review/Progress.ts"
import { type Level, levels, rank } from "../run/Level.ts"
import { counted, narrowSpan, shortCount } from "../text/Phrases.ts"
import { brief } from "../text/Untrusted.ts"
import { width } from "../text/Width.ts"
import type { Limits, Used } from "./Budgets.ts"

/** Where a run stands that is driven up the ladder. */
export interface OnLadder {
  readonly _tag: "OnLadder"
  readonly floor: Level
  readonly level: Level
  /** Null where only the driver knows it. */
  readonly ceiling: Level | null
  readonly batch: number
  /** The last round, null before the first one: whether it is open, and how many findings it began with. */
  readonly round: { readonly number: number; readonly open: boolean; readonly findings: number } | null
}

/** Where the run of a plan stands. */
export interface InPlan {
  readonly _tag: "InPlan"
  /** The name of the plan's file, without the way to it. */
  readonly plan: string
  /**
   * The last cycle, null before the first one: whether it is open, the round of its last fix (0 before any), and the
   * tasks that it is about.
   */
  readonly cycle: {
    readonly number: number
    readonly open: boolean
    readonly round: number
    readonly tasks: ReadonlyArray<{ readonly index: number; readonly title: string }>
  } | null
  /** How many tasks the run has marked as done. */
  readonly done: number
  /** How many of the plan's tasks are not done. Null where only the driver knows it. */
  readonly pending: number | null
}

/** Where a driven run stands. `work` is what its driver has under way: agents and tests, not reviewers. */
export interface LiveView {
  readonly place: OnLadder | InPlan
  readonly used: Used
  readonly limits: Limits
  /** How many of the tokens agents have used. */
  readonly byAgents: number
  readonly work: ReadonlyArray<WorkRow>
}

const gap = "  "
const longestTitle = 40
const longestName = 24

const levelMark = (level: Level): string => `[${level}]`

/** The one word of the first line that stands out. */
export const markOf = ({ place }: LiveView): string =>
  place._tag === "OnLadder" ? levelMark(place.level) : `round ${place.cycle?.number ?? 1}`

const ladder = ({ ceiling, floor, level }: OnLadder): string =>
  ceiling === null
    ? `level ${level}`
    : levels.filter((one) => rank(one) >= rank(floor) && rank(one) <= rank(ceiling))
      .map((one) => one === level ? levelMark(one) : one).join(" ")

const roundText = ({ round }: OnLadder): ReadonlyArray<string> => {
  if (round === null) return []
  const { findings, number, open } = round
  if (!open) return [`${counted(number, "round")} done`]
  return [`round ${number}`, ...(findings === 0 ? [] : [counted(findings, "open finding")])]
}

const cycleText = ({ cycle }: InPlan): ReadonlyArray<string> => {
  if (cycle === null) return ["no round yet"]
  const { number, open, round, tasks } = cycle
  if (!open) return [`${counted(number, "round")} over`]
  const [first] = tasks
  return [
    `round ${number}`,
    ...(round === 0 ? [] : [`fix ${round}`]),
    tasks.length === 1 && first !== undefined
      ? `task ${first.index} ${brief(first.title, longestTitle)}`
      : counted(tasks.length, "task")
  ]
}

const countsText = ({ done, pending }: InPlan): string =>
  pending === null ? `${done} done` : `${done} done, ${pending} pending`

/** How far the run is: its level, batch and round, or its plan, cycle and tasks. */
export const placeText = ({ place }: LiveView): string =>
  (place._tag === "OnLadder"
    ? [ladder(place), `batch ${place.batch}`, ...roundText(place)]
    : [brief(place.plan, longestName), ...cycleText(place), countsText(place)]).join(gap)

const of = (used: string, limit: string | null): string => limit === null ? used : `${used} of ${limit}`

const cost = ({ byAgents, limits, place, used }: LiveView): string => {
  const { maxRounds, maxTime, maxTokens } = limits
  const rounds = maxRounds === null ? counted(used.rounds, "round") : `${used.rounds} of ${counted(maxRounds, "round")}`
  const time = of(narrowSpan(used.time), maxTime === null ? null : narrowSpan(maxTime))
  const tokens = of(shortCount(used.tokens), maxTokens === null ? null : shortCount(maxTokens))
  const agents = byAgents === 0 || place._tag === "InPlan" ? "" : ` (${shortCount(byAgents)} by agents)`
  return `used: ${rounds}, ${time}, ${tokens} tokens${agents}`
}

/** How far the run is and what it has cost: on one line where both fit into so many columns, else on two. */
export const headLines = (view: LiveView, columns: number): ReadonlyArray<string> => {
  const place = placeText(view)
  const together = `${place}${gap}${gap}${cost(view)}`
  return width(together) <= columns ? [together] : [place, cost(view)]
}

/** A view as it is shown to a person who watches. */
export const headingOf = (view: LiveView): Heading => ({
  lines: (columns) => headLines(view, columns),
  word: markOf(view),
  work: view.work
})
