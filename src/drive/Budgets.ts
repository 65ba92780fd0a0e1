// Budgets: what a driven run may use, and what it has used: rounds, time and tokens.
import { Budget, type DrivenState } from "./State.ts"
import { lastAgent } from "./Tasks.ts"

/** What has been used: rounds in which an agent was asked, driven milliseconds, tokens. */
export type Used = Readonly<Record<Budget, number>>

/** How long the run was driven: each driver to the last line that it wrote, one that still drives until `now`. */
export const drivenUntil = ({ drivers }: DrivenState, now: number): number =>
  drivers.reduce((sum, { outcome, since, until }, i) => {
    const drives = i === drivers.length - 1 && outcome === null
    return sum + (drives ? Math.max(until, now) : until) - since
  }, 0)

/** What has been used of each budget at `now` (epoch milliseconds), with these tokens. */
export const used = (state: DrivenState, tokens: number, now: number): Used => ({
  rounds: state.rounds.filter(({ round }) => lastAgent(state, round) !== null).length,
  time: drivenUntil(state, now),
  tokens
})

const settings = { rounds: "maxRounds", time: "maxTime", tokens: "maxTokens" } as const

/** The most of each; null where there is no limit. Time in milliseconds. */
export type Limits = Readonly<Record<typeof settings[Budget], number | null>>

/** No limit of anything. */
export const unlimited: Limits = { maxRounds: null, maxTime: null, maxTokens: null }

/** The budgets that are used up. */
export const exhausted = (used: Used, limits: Limits): ReadonlyArray<Budget> =>
  Budget.literals.filter((budget) => {
    const limit = limits[settings[budget]]
    return limit !== null && used[budget] >= limit
  })

/** A budget of which four fifths are used, and that has had no warning yet; null for none. */
export const toWarn = ({ warned }: DrivenState, used: Used, limits: Limits) => {
  for (const budget of Budget.literals) {
    const limit = limits[settings[budget]]
    if (limit === null || limit === 0 || used[budget] < 0.8 * limit) continue
    if (warned.some((one) => one.budget === budget && one.limit === limit)) continue
    return { budget, used: Math.min(Math.floor(used[budget]), Number.MAX_SAFE_INTEGER), limit }
  }
  return null
}
