// Decision: what the driver of a plan decides from beside its log, and what it can decide.
import type { Used } from "../driven/Budgets.ts"
import type { Budget } from "../driven/Event.ts"
import type { Identity } from "../run/Identity.ts"
import type { AcceptCause, CycleCause, NamedTask } from "./Event.ts"
import type { WorkStep } from "./Steps.ts"

/** What is decided from beside the log. */
export interface View {
  /** The tasks that a cycle would be about: pending, wanted, and waiting for nothing but each other. */
  readonly inPlay: ReadonlyArray<NamedTask>
  /** The tasks that the plan's file says are done. */
  readonly done: ReadonlyArray<number>
  /** What the worktree holds now. */
  readonly content: Identity
  readonly used: Used
  /** The driver that asks. */
  readonly driver: string
}

/** Why the driver ends. */
export type End =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Circle"; readonly content: Identity }
  | { readonly _tag: "Limit"; readonly cycle: number }
  | { readonly _tag: "Budget"; readonly budget: Budget }
  | { readonly _tag: "RedBaseline"; readonly test: number; readonly command: string }
  /** `test` is null where git refused to commit. */
  | { readonly _tag: "TestsRed"; readonly cycle: number; readonly test: number | null; readonly command: string }
  | { readonly _tag: "Rejected"; readonly agent: number }
  /** The implementer named no task as done, again and again. */
  | { readonly _tag: "NothingDone"; readonly cycle: number; readonly problems: ReadonlyArray<string> }
  | { readonly _tag: "Protected"; readonly cycle: number; readonly files: ReadonlyArray<string> }
  | { readonly _tag: "PlanChanged"; readonly cycle: number }
  | { readonly _tag: "Moved"; readonly cycle: number }
  | { readonly _tag: "StopAsked" }

/** What the driver does next. */
export type Decision =
  | { readonly _tag: "Warn"; readonly budget: Budget; readonly used: number; readonly limit: number }
  | { readonly _tag: "StartCycle"; readonly cycle: number; readonly tasks: ReadonlyArray<NamedTask> }
  /** `after`: agents up to this number have answered the same question before. */
  | { readonly _tag: "Work"; readonly cycle: number; readonly step: WorkStep; readonly after: number }
  | { readonly _tag: "Take"; readonly cycle: number; readonly step: WorkStep; readonly agent: number }
  /** `running` is the number of a test whose end is taken first; null starts one. Cycle 0 is outside of cycles. */
  | { readonly _tag: "Test"; readonly cycle: number; readonly command: string; readonly running: number | null }
  | { readonly _tag: "Restore"; readonly cycle: number }
  /** `after`: reviewers up to this number saw other code than there is now. */
  | { readonly _tag: "Review"; readonly cycle: number; readonly round: number; readonly after: number }
  | { readonly _tag: "Analyse"; readonly cycle: number }
  | { readonly _tag: "Accept"; readonly cycle: number; readonly because: AcceptCause }
  | { readonly _tag: "Mark"; readonly cycle: number; readonly tasks: ReadonlyArray<number> }
  | { readonly _tag: "Commit"; readonly cycle: number; readonly agent: number }
  | { readonly _tag: "WriteUnresolved"; readonly cycle: number }
  | { readonly _tag: "Close"; readonly cycle: number; readonly because: CycleCause }
  | { readonly _tag: "Converge" }
  | { readonly _tag: "End"; readonly end: End }

/** The decision to end. */
export const ending = (end: End): Decision => ({ _tag: "End", end })
