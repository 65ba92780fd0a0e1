// Decide: what the drivers of all policies decide alike: budgets, tests, commits, tasks, and a person's answers.
// Total and pure. Round 0 is outside of rounds.
import type { Consent } from "../agent/Event.ts"
import type { AgentState } from "../agent/State.ts"
import { type Identity, sameContent } from "../run/Identity.ts"
import type { ActionKind } from "../run/Outcome.ts"
import { exhausted, type Limits, toWarn, type Used } from "./Budgets.ts"
import { needsPerson } from "./Commits.ts"
import type { ConvergeSettings } from "./converge/Settings.ts"
import {
  type AskedEnd,
  type Budget,
  type DrivenState,
  type PersonAnswer,
  type RoundState,
  type TestState
} from "./State.ts"
import { type AddressTask, lastAgent, lastWorker, type TestFix, testFixes, type WorkTask, wordOf } from "./Tasks.ts"
import { suite, type Suite } from "./Tests.ts"

/** What is decided from beside the log, whatever the policy. */
export interface CommonView {
  /** What the worktree holds now. */
  readonly content: Identity
  readonly used: Used
  /** The driver that asks. */
  readonly driver: string
  /** Whether a person asks for another try. */
  readonly again?: boolean
}

/** The settings that decide, whatever the policy. */
export interface CommonSettings
  extends Limits, Pick<ConvergeSettings, "allow" | "commitFixes" | "fixAttempts" | "tests" | "undoOnRed">
{}

/** Why a call ends although its work is not done. */
export type CommonEnd =
  | { readonly _tag: "Circle"; readonly content: Identity }
  /** `action`: what would have been next. */
  | { readonly _tag: "Budget"; readonly budget: Budget; readonly action: ActionKind }
  | { readonly _tag: "RedBaseline"; readonly test: number; readonly command: string }
  /** `test` is null where git refused to commit. */
  | { readonly _tag: "TestsRed"; readonly round: number; readonly test: number | null; readonly command: string }
  | { readonly _tag: "Rejected"; readonly agent: number }
  | { readonly _tag: "Protected"; readonly round: number; readonly files: ReadonlyArray<string> }
  /** An earlier driver asked a person, and nothing has changed since. */
  | { readonly _tag: "Unchanged"; readonly asked: AskedEnd }
  | { readonly _tag: "StopAsked" }

/** What each policy can do next: `Task` is what its agents are asked. */
export type CommonDecision<End, Task> =
  | { readonly _tag: "Warn"; readonly budget: Budget; readonly used: number; readonly limit: number }
  /** `running` is the number of a test whose end is taken first; null starts one. */
  | { readonly _tag: "Test"; readonly round: number; readonly command: string; readonly running: number | null }
  | { readonly _tag: "Restore"; readonly round: number }
  | { readonly _tag: "Commit"; readonly round: number; readonly agent: number }
  | { readonly _tag: "Ask"; readonly round: number; readonly task: Task }
  /** The answer of an agent that has ended is recorded. */
  | { readonly _tag: "Answer"; readonly round: number; readonly agent: number }
  /** A person has answered the end of an earlier driver. */
  | { readonly _tag: "TakeAnswer"; readonly answer: PersonAnswer }
  | { readonly _tag: "End"; readonly end: End }

/** A decision of every policy, by its tag. */
export type Decided<Tag extends CommonDecision<never, never>["_tag"]> = Extract<
  CommonDecision<CommonEnd, AddressTask | WorkTask>,
  { readonly _tag: Tag }
>

/** The decision to end the call. */
export const ending = <End>(end: End) => ({ _tag: "End", end }) as const

/** What stops further work: a budget that is used up, or one to warn of; null for none. */
export const budgeted = (state: DrivenState, used: Used, limits: Limits, action: ActionKind) => {
  const [budget] = exhausted(used, limits)
  if (budget !== undefined) return ending({ _tag: "Budget", budget, action } satisfies CommonEnd)
  const warning = toWarn(state, used, limits)
  return warning === null ? null : { _tag: "Warn", ...warning } satisfies Decided<"Warn">
}

/** Whether a person has allowed something, now or earlier in the run. */
export const allowed = (state: DrivenState, allow: ReadonlyArray<Consent>, consent: Consent): boolean =>
  state.agents.consents.has(consent) || allow.includes(consent)

// Tests

const nextTest = (round: number, { command, running }: Extract<Suite, { readonly _tag: "Next" }>): Decided<"Test"> => ({
  _tag: "Test",
  round,
  command,
  running: running?.started.test ?? null
})

/** What follows outside of rounds from these runs of the tests; null where they are green, or red is allowed. */
export const testing = (
  state: DrivenState,
  { allow, tests }: Pick<CommonSettings, "allow" | "tests">,
  runs: ReadonlyArray<TestState>,
  present: Identity | null = null
) => {
  const now = suite(tests, runs, present)
  if (now._tag === "Next") return nextTest(0, now)
  if (now._tag === "Green" || allowed(state, allow, "red-baseline")) return null
  return ending({ _tag: "RedBaseline", test: now.test.test, command: now.command } satisfies CommonEnd)
}

/** What follows outside of rounds from the tests since the last agent, for this driver; null as in `testing`. */
export const outside = (state: DrivenState, settings: Pick<CommonSettings, "allow" | "tests">, driver: string) => {
  const agents = state.agents.agents.length
  // Only the runs of this driver count: something outside the worktree may have fixed the tests since an earlier one.
  const runs = state.tests.filter((run) =>
    run.started.round === 0 && (run.standing._tag === "Running" || run.driver === driver && run.agents === agents)
  )
  return testing(state, settings, runs)
}

/** The same before the first agent of all: it shows what is red before anything is changed. */
export const baseline = (state: DrivenState, settings: CommonSettings, driver: string) =>
  state.agents.agents.length > 0 ? null : outside(state, settings, driver)

/** What follows from red tests: an agent fixes them, the worktree is put back, or the round is over. */
export const redTurn = (
  state: DrivenState,
  { restored, round }: RoundState,
  { fixAttempts, undoOnRed }: CommonSettings,
  first: AddressTask | WorkTask
) => {
  // Fixes count since the task whose work is tested.
  if (testFixes(state, round, lastAgent(state, round, first)?.agent ?? 0) < fixAttempts) {
    const task: TestFix = `mend-${testFixes(state, round) + 1}`
    return { _tag: "Ask", round, task } as const
  }
  return undoOnRed && restored === null ? { _tag: "Restore", round } satisfies Decided<"Restore"> : "Over"
}

/** What follows from these runs of a round's tests: what is next, or whether they are green or red for good. */
export const tested = (
  state: DrivenState,
  round: RoundState,
  settings: CommonSettings,
  runs: ReadonlyArray<TestState>,
  first: AddressTask | WorkTask
) => {
  const now = suite(settings.tests, runs)
  if (now._tag === "Next") return nextTest(round.round, now)
  return now._tag === "Green" ? "Green" : redTurn(state, round, settings, first)
}

const commitRed = (round: number) =>
  ending({ _tag: "TestsRed", round, test: null, command: "git commit" } satisfies CommonEnd)

/** The runs of a round's tests since a commit. */
const testsSince = ({ tests }: DrivenState, round: number, commit: RoundState["commits"][number]) =>
  tests.slice(commit.tests).filter((run) => run.started.round === round)

/** The commit of a round's present work that git refused, where no test has run since; null for none. */
export const refusedCommit = (state: DrivenState, { commits, round }: RoundState) => {
  const last = commits.at(-1)
  return last?.commit === null && last.agent === lastAgent(state, round)?.agent &&
      testsSince(state, round, last).length === 0
    ? last
    : null
}

/** The end of a call whose last round is left red: its tests, or git that refused to commit. */
export const leftRed = (state: DrivenState, one: RoundState) => {
  const { round } = one
  if (refusedCommit(state, one) !== null) return commitRed(round)
  const { command = "", test = null } = state.tests.findLast(({ started }) => started.round === round)?.started ?? {}
  return ending({ _tag: "TestsRed", round, test, command } satisfies CommonEnd)
}

/**
 * What follows once the work of a round is to be committed; null where it is, "Refused" where an agent may fix why git
 * refused. What only a person can change ends this call, and the next one tries again. If hooks changed files, the tests
 * run on what they left, and it is committed once more before any agent is asked.
 */
export const committing = (
  state: DrivenState,
  { commits, round }: RoundState,
  { commitFixes, tests }: CommonSettings,
  driver: string,
  isPersonal = needsPerson
) => {
  const agent = lastWorker(state, round)?.agent ?? 1
  const ours = commits.filter((one) => one.agent === agent)
  const last = commits.at(-1)
  if (commitFixes === null) return null
  const commit: Decided<"Commit"> = { _tag: "Commit", round, agent }
  if (last?.agent !== agent) return commit
  const by = last.refusedBy ?? "git"
  if (last.changed === true && !needsPerson(by) && ours.filter(({ changed }) => changed).length === 1) {
    const runs = testsSince(state, round, last).filter((run) =>
      run.standing._tag === "Running" || run.driver === driver
    )
    const now = suite(tests, runs)
    if (now._tag === "Next") return nextTest(round, now)
    if (now._tag === "Green") return commit
    return isPersonal(by)
      ? ending({ _tag: "TestsRed", round, test: now.test.test, command: now.command } satisfies CommonEnd)
      : "Refused"
  }
  if (last.commit !== null) return null
  if (!isPersonal(by)) return "Refused"
  return last.driver === driver ? commitRed(round) : commit
}

// Tasks

/** The end of a call that can use no result of an agent; where a person allows that, the round is closed instead. */
export const rejected = <End>(state: DrivenState, { allow }: CommonSettings, round: number, end: End) =>
  allowed(state, allow, "rejected-result") ? { _tag: "Close", round, because: "Rejected" } as const : ending(end)

/** The task that agents of a round work on: `first`, or the fixing of its tests. */
const presentTask = <Task extends AddressTask | WorkTask>(state: DrivenState, round: number, first: Task) => {
  const taskId = lastWorker(state, round)?.started.taskId ?? ""
  const fixing: TestFix = `mend-${testFixes(state, round)}`
  return lastAgent(state, round, first) !== null && wordOf(taskId) === fixing ? fixing : first
}

/** The work of agents that may write: a task is asked until its answer is accepted and recorded. */
export const worked = <Task extends AddressTask | WorkTask>(
  state: DrivenState,
  { answered, round }: RoundState,
  settings: CommonSettings,
  first: Task
) => {
  const task = presentTask(state, round, first)
  const last: AgentState | null = lastAgent(state, round, task)
  if (last?.judged?.action === "block") {
    return rejected(state, settings, round, { _tag: "Rejected", agent: last.agent } satisfies CommonEnd)
  }
  if (last?.judged?.action !== "accept") return { _tag: "Ask", round, task } as const
  return answered.some(({ agent }) => agent === last.agent)
    ? last
    : { _tag: "Answer", round, agent: last.agent } satisfies Decided<"Answer">
}

/** Whether protected files were changed in a round. */
export const isProtected = ({ answered }: RoundState): boolean =>
  answered.some(({ protectedFiles }) => protectedFiles.length > 0)

/** The last round, if this very driver has closed it. */
export const closedBy = <R extends RoundState>(rounds: ReadonlyArray<R>, driver: string): R | null => {
  const last = rounds.at(-1)
  return last === undefined || last.closed === null || last.closedBy !== driver ? null : last
}

/** The end of a call whose last round it has closed because protected files were changed. */
export const protectedEnd = ({ answered, round }: RoundState) =>
  ending({ _tag: "Protected", round, files: answered.at(-1)?.protectedFiles ?? [] } satisfies CommonEnd)

// A person

/** How a policy takes the end of an earlier driver. */
export interface AskedBefore {
  /** Whether it stays as it is while the code does. */
  readonly isLasting: boolean
  /** Whether another content is a fix, so that tests run. */
  readonly isFixable: boolean
}

/** What follows from a person's answer to the end of an earlier driver; null where none is asked. */
const personTurn = (
  state: DrivenState,
  view: CommonView,
  settings: CommonSettings,
  { isFixable, isLasting }: AskedBefore
) => {
  const { asked, rounds } = state
  if (asked === null) return null
  const take = (answer: PersonAnswer) => ({ _tag: "TakeAnswer", answer }) as const
  // Unknown content does not count as a fix; a person who fixed something asks again.
  if (sameContent(asked.content, view.content) !== "Different") {
    if (view.again === true) return take("Again")
    return isLasting ? ending({ _tag: "Unchanged", asked } satisfies CommonEnd) : take("Unchanged")
  }
  const before = rounds.at(-1)?.started.content
  if (before !== undefined && sameContent(before, view.content) === "Same") return take("Undone")
  const tests = isFixable ? outside(state, settings, view.driver) : null
  if (tests?._tag !== "End") return tests ?? take("Fixed")
  const { command, test } = tests.end
  return ending({ _tag: "TestsRed", round: rounds.length, test, command } satisfies CommonEnd)
}

/** What comes first, whatever the policy: `stop`, a round that has `failed` now, a person's answer; null for none. */
export const firstOfAll = <D>(
  state: DrivenState,
  view: CommonView,
  settings: CommonSettings,
  failed: D | null,
  asked: AskedBefore
) =>
  state.stopAsked
    ? ending({ _tag: "StopAsked" } satisfies CommonEnd)
    : failed ?? personTurn(state, view, settings, asked)
