// Standing: where a run stands, in one token for programs and a few words for people.
// It follows from the log and one look at open reviewers, and names who has to act next.
import { assess, slotsOf } from "../core/run/Batch.ts"
import { changedUnderReview } from "../core/loop/Decide.ts"
import type { RunState } from "../core/run/Manifest.ts"
import { counted } from "../core/text/Phrases.ts"

/**
 * `NextStep`: the program has to be called again. `PlanUnderWay`, `PlanLeft` and `PlanDone` are of plan runs alone.
 * `Damaged`, `Rewound`, `TooNew`, `Unreadable` and `Empty` say that the log could not be read to its end, or has no
 * line at all.
 */
export type StandingKind =
  | "Running"
  | "NextStep"
  | "Stopped"
  | "Failed"
  | "AddressBatch"
  | "Retrospective"
  | "TestsFailedTriage"
  | "FixedPoint"
  | "PlanUnderWay"
  | "PlanLeft"
  | "PlanDone"
  | "Damaged"
  | "Rewound"
  | "TooNew"
  | "Unreadable"
  | "Empty"

export interface Standing {
  readonly kind: StandingKind
  readonly text: string
}

/** What decides a standing besides the state: how many open reviewers live, and the last event of the log. */
export interface Signs {
  readonly alive: number
  readonly last: string
}

const next: Standing = { kind: "NextStep", text: "waiting for the next step" }

/** Whether the log says that no issue of the current batch blocks. */
const isWaived = ({ batch_number, current_level, strict }: RunState): boolean => {
  const last = strict?.last[current_level]
  return last?.batch === batch_number && last.waiver !== undefined
}

/** Where a run stands that was read to the end of its log. */
export const standing = (state: RunState, { alive, last }: Signs): Standing => {
  const { batch, fixed_point } = state
  if (fixed_point !== null) return { kind: "FixedPoint", text: `fixed point at ${fixed_point.level}` }
  if (batch._tag === "NotStarted") return next
  if (last === "AddressFailed") return { kind: "TestsFailedTriage", text: "waiting for a human: tests failed" }
  const open = slotsOf(batch, "Running").length
  if (alive > 0) return { kind: "Running", text: `running: ${alive} of ${counted(batch.size, "reviewer")}` }
  if (open > 0) {
    return { kind: "NextStep", text: `${next.text}: ${counted(open, "reviewer has", "reviewers have")} ended` }
  }
  // Retries belong to the invocation; between two of them a transient failure is a failure.
  const status = assess(batch, 0)
  switch (status._tag) {
    case "NotStarted":
    case "Running":
      return next
    case "Interrupted":
      return { kind: "Stopped", text: "stopped: waiting for the next step" }
    case "Failed":
      return { kind: "Failed", text: `failed: slot ${status.failed.map(({ slot }) => slot).join(", ")}` }
    case "Complete":
      if (status.withIssues > 0 && !isWaived(state)) return { kind: "AddressBatch", text: "waiting for AddressBatch" }
      return changedUnderReview(batch) ? next : { kind: "Retrospective", text: "waiting for Retrospective" }
  }
}
