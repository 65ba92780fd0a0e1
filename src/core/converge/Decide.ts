// Decide: what the driver of a run does next, from its stream and the hand-off that stands.
// The one rule: total and pure. A fixed point is told by the step alone; nothing here can turn into one.
import { sameContent } from "../run/Identity.ts"
import { exhausted, halted } from "../driven/Budgets.ts"
import { outside, type OutsideTests, testing } from "../driven/Outside.ts"
import type { ConvergeState, RoundState } from "./ConvergeState.ts"
import { addressed, type DecideSettings, lookedOver } from "./DecideRound.ts"
import { type Decision, ending, type Handoff, type View } from "./Decision.ts"
import type { RoundKind } from "./Event.ts"
import { circle, roundsWithoutProgress } from "./Progress.ts"
import { lastOf, taskIdOf } from "./Tasks.ts"

/** What the tests outside of rounds lead to. */
const turnOf = (tests: OutsideTests | null): Decision | null => {
  if (tests === null) return null
  const { command } = tests
  return tests._tag === "Next"
    ? { _tag: "Test", round: 0, command, running: tests.running }
    : ending({ _tag: "RedBaseline", test: tests.test, command })
}

/**
 * What is to be done before a fixed point is told: the tests must be green on the content that was proven, whoever has
 * changed it since they ran. Null where they are.
 */
export const atFixedPoint = (
  state: ConvergeState,
  { content, driver }: Pick<View, "content" | "driver">,
  settings: DecideSettings
): Decision | null => {
  const runs = state.tests.filter(({ driver: by, standing, started }) =>
    standing._tag === "Running"
      ? started.round === 0
      : standing._tag === "Finished" && sameContent(standing.finished.content, content) !== "Different" &&
        // A red run counts only for the driver that ran it: since then, means that no content shows may have mended it.
        (standing.finished.exit === 0 || by === driver)
  )
  return turnOf(testing(state, settings, runs))
}

/** The last round, where an agent was asked to implement patterns in it. */
const implementing = (state: ConvergeState): RoundState | null => {
  const last = state.rounds.at(-1)
  const begun = last !== undefined &&
    lastOf(state, last.started.round, taskIdOf(last.started.round, { _tag: "Patterns" }))
  return last === undefined || !begun ? null : last
}

/** What comes next where no hand-off is known. */
const unasked = (state: ConvergeState, view: View, settings: DecideSettings): Decision => {
  const patterns = implementing(state)
  if (patterns?.closed === null) return { _tag: "Resume", round: patterns.started.round }
  const left = circle(state, view.content)
  if (left !== null) return ending({ _tag: "Circle", content: left })
  const [budget] = exhausted({ ...view.used, rounds: 0 }, settings)
  if (budget !== undefined) return ending({ _tag: "Budget", budget, kind: null })
  // A clean review of patterns that turned the tests red, or whose tests never ran, would hide that.
  const untested = patterns !== null && patterns.closed?.because !== "Marked"
  return (untested ? turnOf(outside(state, settings, view.driver)) : null) ?? { _tag: "Step" }
}

/** What stands against another round, or against asking an agent in it. */
const against = (
  state: ConvergeState,
  settings: DecideSettings,
  { used }: View,
  kind: RoundKind | null
): Decision | null => {
  const standing = halted(state, used, settings)
  return standing?._tag === "Exhausted" ? ending({ _tag: "Budget", budget: standing.budget, kind }) : standing
}

/** Why a round that this driver itself has closed ends its call: only a person can go on. */
const failedNow = (state: ConvergeState, { driver }: View): Decision | null => {
  const last = state.rounds.at(-1)
  if (last === undefined || last.closed === null || last.closedBy !== driver) return null
  const { round } = last.started
  if (last.closed.because === "Protected") {
    return ending({ _tag: "Protected", round, files: last.answered.at(-1)?.protectedFiles ?? [] })
  }
  const red = last.closed.because === "Marked" && last.concluded?.mark === "AddressFailed"
  if (last.closed.because !== "TestsRed" && !red) return null
  const agents = lastOf(state, round)?.agent ?? 0
  if (last.commits.at(-1)?.agent === agents) {
    return ending({ _tag: "TestsRed", round, test: null, command: "git commit" })
  }
  const test = state.tests.findLast(({ started }) => started.round === round)
  return ending({ _tag: "TestsRed", round, test: test?.started.test ?? null, command: test?.started.command ?? "" })
}

/** The round that a hand-off is answered in, if it was begun. */
const openRound = ({ rounds }: ConvergeState, { batch, kind, level }: Handoff): RoundState | null => {
  const last = rounds.at(-1)
  if (last === undefined || last.closed !== null) return null
  const { started } = last
  return started.kind === kind && started.level === level && started.batch === batch ? last : null
}

/** Decides what the driver does next. */
export const decide = (state: ConvergeState, view: View, settings: DecideSettings): Decision => {
  if (state.stopAsked) return ending({ _tag: "StopAsked" })
  const failed = failedNow(state, view)
  if (failed !== null) return failed
  const { handoff } = view
  if (handoff === null) return unasked(state, view, settings)
  const open = openRound(state, handoff)
  const last = state.rounds.at(-1)
  if (open === null) {
    if (last !== undefined && last.closed === null) {
      // A mark that tells of red tests leaves the hand-off as it is, so it was not this one that moved the run.
      const mark = last.concluded?.mark ?? "AddressFailed"
      const because = mark === "AddressFailed" ? "AnsweredElsewhere" : "Marked"
      return { _tag: "Close", round: last.started.round, because }
    }
    return { _tag: "StartRound", round: state.rounds.length + 1 }
  }
  const round = open.started.round
  if (open.concluded !== null) return { _tag: "Mark", round, mark: open.concluded.mark }
  const next = open.started.kind === "AddressBatch"
    ? addressed(state, open, settings)
    : lookedOver(state, open, settings, handoff.anyFinding)
  // An agent that has begun is followed to its end; only a round's first agent needs something left of each budget.
  if (next._tag !== "Ask" || lastOf(state, round) !== null) return next
  const rounds = roundsWithoutProgress(state)
  if (handoff.kind === "AddressBatch" && rounds >= settings.patience) return ending({ _tag: "Patience", rounds })
  // Tests run before the first agent of all: they show what was red before anybody changed anything.
  const baseline = state.agents.agents.length > 0 ? null : turnOf(outside(state, settings, view.driver))
  return against(state, settings, view, handoff.kind) ?? baseline ?? next
}
