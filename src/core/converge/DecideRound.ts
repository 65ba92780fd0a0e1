// DecideRound: what comes next in a round that stands: an agent is asked, tests run, a mark is concluded.
import type { AgentState } from "../agent/AgentsState.ts"
import type { ConvergeState, RoundState } from "./ConvergeState.ts"
import { type Decision, ending } from "./Decision.ts"
import type { ConvergeSettings } from "./Settings.ts"
import { allowed } from "../driven/Outside.ts"
import { suite } from "../driven/Suite.ts"
import { type AgentTaskName, lastOf, mends, taskIdOf } from "./Tasks.ts"

/** The settings that decide. */
export type DecideSettings = Pick<
  ConvergeSettings,
  | "allow"
  | "commitFixes"
  | "fixAttempts"
  | "maxRounds"
  | "maxTime"
  | "maxTokens"
  | "patience"
  | "retro"
  | "tests"
  | "undoOnRed"
>

/** The tests after the last agent of a round: a decision until they are green, then null. */
const tested = (state: ConvergeState, round: RoundState, settings: DecideSettings): Decision | null => {
  const number = round.started.round
  const agents = lastOf(state, number)?.agent ?? 0
  const runs = state.tests.filter((run) => run.started.round === number && run.agents >= agents)
  const stands = suite(settings.tests, runs)
  if (stands._tag === "Next") {
    const { command, running } = stands
    return { _tag: "Test", round: number, command, running: running?.started.test ?? null }
  }
  if (stands._tag === "Green") {
    const last = round.commits.at(-1)
    if (settings.commitFixes === null || last?.agent === agents && last.commit !== null) return null
    if (last?.agent !== agents) return { _tag: "Commit", round: number, agent: agents }
  }
  const mended = mends(state, number)
  if (mended < settings.fixAttempts) return { _tag: "Ask", round: number, task: { _tag: "Mend", mend: mended + 1 } }
  if (settings.undoOnRed && round.restored === null) return { _tag: "Restore", round: number }
  if (round.started.kind === "AddressBatch") return { _tag: "Conclude", round: number, mark: "AddressFailed" }
  return { _tag: "Close", round: number, because: "TestsRed" }
}

const rejected = (state: ConvergeState, settings: DecideSettings, round: number, agent: number): Decision =>
  allowed(state, settings.allow, "rejected-result")
    ? { _tag: "Close", round, because: "Rejected" }
    : ending({ _tag: "Rejected", round, agent })

/** The work of agents that may write: asked until it is accepted, then held against what may not be changed. */
const worked = (
  state: ConvergeState,
  round: RoundState,
  settings: DecideSettings,
  first: AgentTaskName
): Decision | AgentState => {
  const number = round.started.round
  const last = lastOf(state, number, taskIdOf(number, first)) === null ? null : lastOf(state, number)
  if (last === null) return { _tag: "Ask", round: number, task: first }
  if (last.judged?.action === "block") return rejected(state, settings, number, last.agent)
  if (last.judged?.action !== "accept") {
    const mended = mends(state, number)
    return { _tag: "Ask", round: number, task: mended === 0 ? first : { _tag: "Mend", mend: mended } }
  }
  const answer = round.answered.at(-1)
  if (answer?.agent !== last.agent) return { _tag: "Answer", round: number, agent: last.agent }
  return answer.protectedFiles.length > 0 ? { _tag: "Close", round: number, because: "Protected" } : last
}

/** What comes next in a round that addresses a batch. */
export const addressed = (state: ConvergeState, round: RoundState, settings: DecideSettings): Decision => {
  const work = worked(state, round, settings, { _tag: "Address" })
  if ("_tag" in work) return work
  return tested(state, round, settings) ?? { _tag: "Conclude", round: round.started.round, mark: "AddressPassed" }
}

/** Whether an agent has looked over the same history before. What it found then was implemented. */
const askedBefore = ({ rounds }: ConvergeState, { started }: RoundState): boolean =>
  rounds.some((one) =>
    one.started.round < started.round && one.started.kind === "Retrospective" && one.skipped === null &&
    one.concluded !== null && one.started.history === started.history
  )

/** What comes next in a round about a clean level. */
export const lookedOver = (
  state: ConvergeState,
  round: RoundState,
  settings: DecideSettings,
  anyFinding: boolean
): Decision => {
  const number = round.started.round
  const clean: Decision = { _tag: "Conclude", round: number, mark: "RetroClean" }
  if (round.skipped !== null) return clean
  const retro = lastOf(state, number, taskIdOf(number, { _tag: "Retro" }))
  if (retro === null) {
    if (settings.retro === "never") return { _tag: "Skip", round: number, because: "Never" }
    if (!anyFinding) return { _tag: "Skip", round: number, because: "NoFindings" }
    if (askedBefore(state, round)) return { _tag: "Skip", round: number, because: "AskedBefore" }
  }
  switch (retro?.judged?.action) {
    case "accept":
      return clean
    case "block":
      return rejected(state, settings, number, retro?.agent ?? 0)
    case "remediate": {
      const work = worked(state, round, settings, { _tag: "Patterns" })
      if ("_tag" in work) return work
      return tested(state, round, settings) ?? { _tag: "Conclude", round: number, mark: "RetroChanges" }
    }
    default:
      return { _tag: "Ask", round: number, task: { _tag: "Retro" } }
  }
}
