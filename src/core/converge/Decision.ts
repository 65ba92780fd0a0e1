// Decision: what the driver of a run decides from beside its stream, and what it can decide.
import type { Identity } from "../run/Identity.ts"
import type { Level } from "../run/Level.ts"
import type { CloseCause, RoundKind, RoundMark, SkipCause } from "./Event.ts"
import type { Used } from "../driven/Budgets.ts"
import type { Budget } from "../driven/Event.ts"
import type { AgentTaskName } from "./Tasks.ts"

/** The hand-off of the run's last step: the findings that block, and the digest of what all batches found so far. */
export interface Handoff {
  readonly kind: RoundKind
  readonly level: Level
  readonly batch: number
  readonly findings: ReadonlyArray<string>
  /** Whether any batch of the run ever found something. */
  readonly anyFinding: boolean
  readonly history: string
}

/** What is decided from beside the stream. `handoff` is null before a step was asked for one. */
export interface View {
  readonly handoff: Handoff | null
  /** What the worktree holds now. */
  readonly content: Identity
  readonly used: Used
  /** The driver that asks. */
  readonly driver: string
}

/** Why the driver ends although nothing is proven. */
export type End =
  | { readonly _tag: "Circle"; readonly content: Identity }
  | { readonly _tag: "Patience"; readonly rounds: number }
  | { readonly _tag: "Budget"; readonly budget: Budget; readonly kind: RoundKind | null }
  | { readonly _tag: "RedBaseline"; readonly test: number; readonly command: string }
  /** `test` is null where git refused to commit. */
  | { readonly _tag: "TestsRed"; readonly round: number; readonly test: number | null; readonly command: string }
  | { readonly _tag: "Rejected"; readonly round: number; readonly agent: number }
  | { readonly _tag: "Protected"; readonly round: number; readonly files: ReadonlyArray<string> }
  | { readonly _tag: "StopAsked" }

/** What the driver does next. */
export type Decision =
  | { readonly _tag: "Step" }
  /**
   * The hand-off of an open round is taken from the run as it stands, without a step: the round's agent changes the
   * code, which a step would have reviewed. Where the run has left the round's batch, the round is closed.
   */
  | { readonly _tag: "Resume"; readonly round: number }
  | { readonly _tag: "Warn"; readonly budget: Budget; readonly used: number; readonly limit: number }
  | { readonly _tag: "StartRound"; readonly round: number }
  | { readonly _tag: "Skip"; readonly round: number; readonly because: SkipCause }
  | { readonly _tag: "Ask"; readonly round: number; readonly task: AgentTaskName }
  | { readonly _tag: "Answer"; readonly round: number; readonly agent: number }
  /** `running` is the number of a test whose end is taken first; null starts one. Round 0 is outside rounds. */
  | { readonly _tag: "Test"; readonly round: number; readonly command: string; readonly running: number | null }
  | { readonly _tag: "Restore"; readonly round: number }
  | { readonly _tag: "Commit"; readonly round: number; readonly agent: number }
  | { readonly _tag: "Conclude"; readonly round: number; readonly mark: RoundMark }
  | { readonly _tag: "Mark"; readonly round: number; readonly mark: RoundMark }
  | { readonly _tag: "Close"; readonly round: number; readonly because: CloseCause }
  | { readonly _tag: "End"; readonly end: End }

/** The decision to end. */
export const ending = (end: End): Decision => ({ _tag: "End", end })
