// Progress: whether the rounds of a run lead anywhere: circles, and rounds without progress.
import { type Identity, sameContent } from "../../run/Identity.ts"
import { compare, type Level } from "../../run/Level.ts"
import type { ConvergeState, RoundState } from "./State.ts"

/** The rounds in which an agent changed or answered the code with success, oldest first. */
const answered = ({ rounds, since }: ConvergeState): ReadonlyArray<RoundState> =>
  rounds.slice(since).filter(({ concluded }) =>
    concluded?.mark === "AddressPassed" || concluded?.mark === "RetroChanges"
  )

const same = (a: Identity, b: Identity): boolean => sameContent(a, b) === "Same"

const changedNothing = ({ concluded, started }: RoundState): boolean =>
  concluded !== null && same(started.content, concluded.content)

const sameFindings = (a: RoundState, b: RoundState): boolean => {
  const names = new Set(a.started.findings)
  return names.size === new Set(b.started.findings).size && b.started.findings.every((name) => names.has(name))
}

/**
 * The content to which the rounds came back, or null. A circle: what the last round left had issues when an earlier one
 * began, and something else lay in between. The same: the last two rounds changed nothing about the same findings.
 * `now` is what the worktree holds: a change since then breaks the circle.
 */
export const circle = (state: ConvergeState, now: Identity): Identity | null => {
  const rounds = answered(state)
  const last = rounds.at(-1)
  const left = last?.concluded?.content
  if (last === undefined || left === undefined || !same(left, now)) return null
  const before = rounds.at(-2)
  const isIdle = before !== undefined && changedNothing(before) && changedNothing(last) && sameFindings(before, last)
  const returned = rounds.slice(0, -1).some(({ started }, i) =>
    started.kind === "AddressBatch" && same(started.content, left) &&
    rounds.slice(i).some((one) => !changedNothing(one))
  )
  return isIdle || returned ? left : null
}

/**
 * How many of the last rounds made no progress. Progress is a round with fewer findings than any since the last progress,
 * or a higher level that is clean.
 */
export const roundsWithoutProgress = ({ rounds, since }: ConvergeState): number => {
  let least = Infinity
  let highest: Level | null = null
  let count = 0
  for (const { started: { findings: all, kind, level } } of rounds.slice(since)) {
    const findings = new Set(all).size
    if (kind === "Retrospective") {
      if (highest !== null && compare(level, highest) <= 0) continue
      highest = level
      least = Infinity
      count = 0
    } else if (findings < least) {
      least = findings
      count = 0
    } else count++
  }
  return count
}
