// Ends: how a call that works on a plan ends: its header, and what a person is asked to do.
import { Effect } from "effect"
import type { Budget } from "../State.ts"
import { type BlockedTask, taskBlocked } from "../words.ts"
import type { End } from "./Decide.ts"
import type { PlanOutcome } from "./Outcome.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { type Ending, human, protectedEnd, type Red, redText, rejectedEnd } from "../Ends.ts"
import type { Working } from "./Driver.ts"

/** What an end is told from. */
export const asImplement = ({ driver, settings }: Working): Ending => ({ call: "implement", driver, settings })

const limits = { rounds: "rounds", time: "max-time", tokens: "max-tokens" } as const satisfies Record<Budget, string>

const redEnd = (working: Working, red: Omit<Red, "output" | "restored">) => {
  const cycle = working.driver.state.cycles[red.round - 1]
  return redText(asImplement(working), {
    ...red,
    restored: (cycle?.restored ?? null) !== null,
    output: cycle?.refusal ?? ""
  })
}

const blocked = (
  { run: { ref } }: Working,
  { isOver, problems, taskId }: Pick<BlockedTask, "isOver" | "problems" | "taskId">
): Outcome =>
  human(
    "TaskBlocked",
    taskBlocked({ call: "implement", run: ref.runId, taskId, problems, issues: null, protectedFiles: [], isOver })
  )

/** The outcome of a call that decided to end. */
export const endOutcome = Effect.fn("Ends.endOutcome")(function*(working: Working, end: End) {
  switch (end._tag) {
    case "Done":
      return { _tag: "DoneAccepted" } satisfies PlanOutcome
    case "Circle":
      return {
        _tag: "StuckRepeated",
        action: "AddressBatch",
        key: end.content._tag === "Unknown" ? "unknown" : end.content.tree ?? "empty"
      } satisfies Outcome
    case "Limit":
      return { _tag: "StuckCapReached", action: "AddressBatch", key: "rounds" } satisfies Outcome
    case "Budget":
      return { _tag: "StuckCapReached", action: "AddressBatch", key: limits[end.budget] } satisfies Outcome
    case "RedBaseline":
      return human("ConsentNeeded", yield* redEnd(working, { ...end, round: 0 }))
    case "TestsRed":
      return human("TestsFailedTriage", yield* redEnd(working, { ...end, round: end.cycle }))
    case "Rejected":
      return rejectedEnd(asImplement(working), end.agent)
    case "NothingDone":
      return blocked(working, { taskId: `cycle-${end.cycle}/implement`, problems: end.problems, isOver: false })
    case "Protected":
      return protectedEnd(asImplement(working), `cycle-${end.cycle}`, end.files)
    case "Moved":
      return blocked(working, {
        taskId: `cycle-${end.cycle}`,
        problems: ["somebody changed the code while it was reviewed, again and again"],
        isOver: true
      })
    case "PlanChanged":
      return blocked(working, {
        taskId: `cycle-${end.cycle}`,
        problems: [
          `somebody changed ${working.file} while its tasks were worked on, so none of them was marked as done; ` +
          "a task that says `done: true` there counts as done, whoever wrote that"
        ],
        isOver: true
      })
    case "StopAsked":
      return { _tag: "DoneAborted" } satisfies Outcome
  }
})
