// Marked: computes the result of a side-effect flag a second time, from the contract's tables.
// The one rule: it shares no code with the program; where the two differ, the contract says which one is wrong.
import { count, down, type Expected, type Model, moved, opened, type Run, type Rung, up } from "./Model.ts"
import { takenIn } from "./TakenIn.ts"

/** The seven side-effect flags, without their dashes. */
export type Flag =
  | "mark-retro-clean"
  | "mark-retro-changes"
  | "mark-address-passed"
  | "mark-address-failed"
  | "advance-level"
  | "drop-level"
  | "restart-from-floor"

/** The expected result of a side-effect flag. */
export const marked = (model: Model, flag: Flag, floor: Rung, ceiling: Rung): Expected => {
  const run = opened(model, floor, "mark")
  const { level } = run
  const recorded = (what: string): Run => ({ ...run, history: [...run.history, `${level}/${run.batch} ${what}`] })
  const to = (next: Run, outcome = "Idle"): Expected => ({ run: next, outcome, unsure: false })
  switch (flag) {
    case "mark-retro-clean":
      if (level === ceiling) return to({ ...recorded("Clean"), fixed: true }, "DoneFixedPoint")
      return to(level === "xhigh" ? recorded("Clean") : moved(recorded("Clean"), up(level)))
    case "mark-retro-changes":
      return to(moved(recorded("RetrospectiveChanges"), floor))
    case "mark-address-passed": {
      const ended = takenIn({ ...model, run })?.slots ?? null
      return to(moved(recorded(`Addressed ${count(ended, "issues")}`), down(level, floor)))
    }
    case "mark-address-failed":
      return to(run, "HandoffHuman")
    case "advance-level":
      return to(level === "xhigh" ? run : moved(run, up(level)))
    case "drop-level":
      return to(level === floor ? run : moved(run, down(level, floor)))
    case "restart-from-floor":
      return to(moved(run, floor))
  }
}
