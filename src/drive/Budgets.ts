// Budgets: what a driven run may use, and what it has used: rounds, time and tokens.
import { type Budget, drivenFor, type DrivenState } from "./State.ts"

/** What has been used: rounds in which an agent was asked, driven milliseconds, tokens. */
export type Used = Readonly<Record<Budget, number>>

/** How long the run was driven until `now` (epoch milliseconds), while a driver drives. */
export const drivenUntil = (state: DrivenState, now: number): number => {
  const last = state.drivers.at(-1)
  return drivenFor(state) + (last === undefined || last.outcome !== null ? 0 : Math.max(0, now - last.until))
}

/** The most of each; null where there is no limit. Time in milliseconds. */
export interface Limits {
  readonly maxRounds: number | null
  readonly maxTime: number | null
  readonly maxTokens: number | null
}

/** No limit of anything. */
export const unlimited: Limits = { maxRounds: null, maxTime: null, maxTokens: null }

const limitOf = ({ maxRounds, maxTime, maxTokens }: Limits): Readonly<Record<Budget, number | null>> => ({
  rounds: maxRounds,
  time: maxTime,
  tokens: maxTokens
})

const budgets: ReadonlyArray<Budget> = ["rounds", "time", "tokens"]

/** The budgets of which nothing is left. */
export const exhausted = (used: Used, limits: Limits): ReadonlyArray<Budget> =>
  budgets.filter((budget) => {
    const limit = limitOf(limits)[budget]
    return limit !== null && used[budget] >= limit
  })

/** A budget of which four fifths are used, and that has had no warning yet; null for none. */
export const toWarn = ({ warned }: DrivenState, used: Used, limits: Limits) => {
  const all = limitOf(limits)
  for (const budget of budgets) {
    const limit = all[budget]
    if (limit === null || limit === 0 || used[budget] < 0.8 * limit) continue
    if (warned.some((one) => one.budget === budget && one.limit === limit)) continue
    return { budget, used: Math.min(Math.floor(used[budget]), Number.MAX_SAFE_INTEGER), limit }
  }
  return null
}
