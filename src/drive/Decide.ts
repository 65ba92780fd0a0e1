// Decide: what each policy can decide, and the rules that both share: budgets, tests and the ends of a call.
import type { ActionKind } from "../run/Outcome.ts"
import type { Identity } from "../run/Identity.ts"
import { halted, type Limits, type Used } from "./Budgets.ts"
import type { Budget, DrivenState } from "./State.ts"
import type { OutsideTests, Suite } from "./Tests.ts"

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
  | { readonly _tag: "StopAsked" }

/** What each policy can do next. Round 0 is outside of rounds. */
export type CommonDecision<End> =
  | { readonly _tag: "Warn"; readonly budget: Budget; readonly used: number; readonly limit: number }
  /** `running` is the number of a test whose end is taken first; null starts one. */
  | { readonly _tag: "Test"; readonly round: number; readonly command: string; readonly running: number | null }
  | { readonly _tag: "Restore"; readonly round: number }
  | { readonly _tag: "Commit"; readonly round: number; readonly agent: number }
  /** The answer of an agent that has ended is recorded. */
  | { readonly _tag: "Answer"; readonly round: number; readonly agent: number }
  | { readonly _tag: "End"; readonly end: End }

/** A decision by its tag. */
export type Decided<Tag extends CommonDecision<never>["_tag"]> = Extract<
  CommonDecision<CommonEnd>,
  { readonly _tag: Tag }
>

/** The decision to end the call. */
export const ending = <End>(end: End) => ({ _tag: "End", end }) as const

/** What stands in the way of further work: a budget of which nothing is left, or one to be warned of; null for none. */
export const budgeted = (state: DrivenState, used: Used, limits: Limits, action: ActionKind) => {
  const found = halted(state, used, limits)
  if (found?._tag !== "Exhausted") return found
  return ending({ _tag: "Budget", budget: found.budget, action } satisfies CommonEnd)
}

/** What the tests outside of rounds lead to; null where they are green. */
export const outsideTurn = (tests: OutsideTests | null) => {
  if (tests === null) return null
  const { command } = tests
  return tests._tag === "Red"
    ? ending({ _tag: "RedBaseline", test: tests.test, command } satisfies CommonEnd)
    : { _tag: "Test", round: 0, command, running: tests.running } satisfies Decided<"Test">
}

/** The next test of a round; null where there is none. */
export const nextTest = (round: number, stands: Suite) =>
  stands._tag === "Next"
    ? { _tag: "Test", round, command: stands.command, running: stands.running?.started.test ?? null } satisfies Decided<
      "Test"
    >
    : null

/** How far a round is whose tests are red: how often an agent was asked to fix them, and whether it was put back. */
interface RedRound {
  readonly round: number
  readonly fixes: number
  readonly restored: boolean
}

/** What follows from red tests: an agent fixes them (null), the worktree is put back, or the round is over. */
export const redTurn = (
  { fixes, restored, round }: RedRound,
  { fixAttempts, undoOnRed }: { readonly fixAttempts: number; readonly undoOnRed: boolean }
) =>
  fixes < fixAttempts
    ? "Fix"
    : undoOnRed && !restored
    ? { _tag: "Restore", round } satisfies Decided<"Restore">
    : "Over"

/** The end of a call in whose last round the tests stayed red. */
export const testsRed = (state: DrivenState, round: number) => {
  const test = state.tests.findLast(({ started }) => started.round === round)
  const { command = "", test: number = null } = test?.started ?? {}
  return ending({ _tag: "TestsRed", round, test: number, command } satisfies CommonEnd)
}

/** The end of a call in which git refused to commit. */
export const commitRed = (round: number) =>
  ending({ _tag: "TestsRed", round, test: null, command: "git commit" } satisfies CommonEnd)
