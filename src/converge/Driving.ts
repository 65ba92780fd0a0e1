// Driving: a run while somebody drives it: its log, the stream of its driver, and the hand-off that stands.
import { Effect } from "effect"
import type { ConvergeDriver } from "../agents/Driver.ts"
import type { RoundState } from "../core/converge/ConvergeState.ts"
import type { ConvergeSettings } from "../core/converge/Settings.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import type { Run } from "../runs/Run.ts"
import type { Located } from "../runs/RunOfWorktree.ts"
import type { Spent } from "../runs/Spending.ts"
import type { EventLog, LogReadError } from "../services/EventLog.ts"
import type { Standing } from "./Handoff.ts"

/** A driven run. `id` is the driver's; `standing` is the hand-off of the last step, null before one was asked for. */
export interface Driving {
  readonly id: string
  readonly pid: number
  /** Is told of each run that is driven. */
  readonly onRun: (run: RunRef) => Effect.Effect<void>
  /** Whether whoever calls was asked to end, and the driver with it. */
  readonly isStopped: Effect.Effect<boolean, LogReadError, EventLog>
  readonly settings: ConvergeSettings
  readonly cwd: string
  readonly place: Located
  readonly run: Run
  /** Whether the code may be somebody else's. */
  readonly untrusted: boolean
  readonly driver: ConvergeDriver
  readonly standing: Standing | null
  readonly spent: Spent
}

/** What a turn comes to: the run goes on, or the call ends. */
export type Turn =
  | { readonly _tag: "On"; readonly driving: Driving }
  | { readonly _tag: "Over"; readonly driving: Driving; readonly outcome: Outcome }

export const on = (driving: Driving): Turn => ({ _tag: "On", driving })

export const over = (driving: Driving, outcome: Outcome): Turn => ({ _tag: "Over", driving, outcome })

/** A round by its number. Rounds are counted without a gap. */
export const roundOf = ({ driver }: Driving, round: number): Effect.Effect<RoundState> => {
  const found = driver.state.rounds[round - 1]
  return found === undefined ? Effect.die(new Error(`round ${round} never began`)) : Effect.succeed(found)
}

/** The agents' or tests' worktree: the root of the repository. */
export const worktreeOf = ({ run }: Driving): string => run.manifest.worktree
