// Ends: how a call ends in which nothing is proven: its header, and what a person is asked to do.
import { Effect } from "effect"
import type { AgentEnding } from "../core/agent/AgentEnding.ts"
import { parseFailedReport } from "../core/agent/FailedReport.ts"
import type { End } from "../core/converge/Decision.ts"
import type { Budget } from "../core/driven/Event.ts"
import {
  agentFailed,
  commitRefused,
  consentNeeded,
  gitStateChanged,
  taskBlocked,
  testsFailed
} from "../core/converge/HandoffText.ts"
import type { HumanAction, Outcome } from "../core/loop/Outcome.ts"
import type { Identity } from "../core/run/Identity.ts"
import { Tests } from "../services/Tests.ts"
import type { Driving } from "./Driving.ts"
import { tailOfTest } from "./TestRuns.ts"

/** What an end is told from. */
export type Ending = Pick<Driving, "driver" | "run" | "settings">

const human = (action: HumanAction, prompt: string): Outcome => ({ _tag: "HandoffHuman", action, prompt })

const contentName = (content: Identity): string => content._tag === "Unknown" ? "unknown" : content.tree ?? "empty"

const limits = { rounds: "max-rounds", time: "max-time", tokens: "max-tokens" } as const satisfies Record<
  Budget,
  string
>

/** Somebody must allow something first. */
export const consentEnd = (message: string): Outcome => human("ConsentNeeded", consentNeeded(message))

/** An agent failed in a way that a fresh one would meet too. */
export const agentFailedEnd = (
  { driver: { state }, run }: Ending,
  { agent, ending, remedy }: { readonly agent: number; readonly ending: AgentEnding; readonly remedy: string | null }
): Outcome =>
  human(
    "AgentFailed",
    agentFailed({
      run: run.ref.runId,
      taskId: state.agents.agents[agent - 1]?.started.taskId ?? "",
      ending: ending._tag,
      message: ending.message,
      remedy,
      report: ending._tag === "Reported" ? ending.report : null
    })
  )

/** An agent changed git's own state. */
export const gitChangedEnd = ({ run }: Ending, parts: ReadonlyArray<string>): Outcome =>
  human("GitStateChanged", gitStateChanged({ run: run.ref.runId, parts }))

interface Red {
  readonly command: string
  readonly round: number
  readonly test: number | null
}

/** Tests that stay red, or a commit that git refused: then there is no test. */
const redEnd = Effect.fnUntraced(function*(driving: Ending, { command, round, test }: Red) {
  const { driver: { state }, run: { ref }, settings } = driving
  const made = state.rounds[round - 1]
  const restored = (made?.restored ?? null) !== null
  if (test === null) {
    return commitRefused({ run: ref.runId, restored, output: made?.commits.at(-1)?.output.text ?? "" })
  }
  const one = state.tests.find(({ started }) => started.test === test)?.standing
  return testsFailed({
    run: ref.runId,
    round,
    command,
    exit: one?._tag === "Finished" ? one.finished.exit : null,
    timeout: settings.testTimeout,
    tail: yield* tailOfTest(driving, test),
    file: (yield* Tests).place(ref, test),
    restored
  })
})

const rejectedEnd = ({ driver: { state }, run }: Ending, agent: number): Outcome => {
  const one = state.agents.agents[agent - 1]
  const standing = one?.standing
  const message = standing?._tag === "Finished"
    ? standing.finished.message.text
    : standing?._tag === "Failed"
    ? standing.failed.message.text
    : ""
  const taskId = one?.started.taskId ?? ""
  const report = standing?._tag === "Finished" && standing.finished.ending === "Reported"
    ? parseFailedReport(message)
    : null
  if (report !== null || standing?._tag === "Failed") {
    const remedy = standing?._tag === "Failed" ? standing.failed.remedy : null
    const ending = standing?._tag === "Failed" ? standing.failed.failure : "Reported"
    return human("AgentFailed", agentFailed({ run: run.ref.runId, taskId, ending, message, remedy, report }))
  }
  const problems = one?.judged?.problems ?? []
  const blocked = { run: run.ref.runId, taskId, problems, issues: message, protectedFiles: [] }
  return human("TaskBlocked", taskBlocked(blocked))
}

/** The outcome of a call that decided to end. */
export const endOutcome = Effect.fn("Ends.endOutcome")(function*(driving: Ending, end: End) {
  switch (end._tag) {
    case "Circle":
      return { _tag: "StuckRepeated", action: "AddressBatch", key: contentName(end.content) } satisfies Outcome
    case "Patience":
      return { _tag: "StuckCapReached", action: "AddressBatch", key: "patience" } satisfies Outcome
    case "Budget":
      return {
        _tag: "StuckCapReached",
        action: end.kind ?? "RunReviews",
        key: limits[end.budget]
      } satisfies Outcome
    case "RedBaseline":
      return human("ConsentNeeded", yield* redEnd(driving, { ...end, round: 0 }))
    case "TestsRed":
      return human("TestsFailedTriage", yield* redEnd(driving, end))
    case "Rejected":
      return rejectedEnd(driving, end.agent)
    case "Protected": {
      const { runId: run } = driving.run.ref
      const blocked = { run, taskId: `round-${end.round}`, problems: [], issues: null, protectedFiles: end.files }
      return human("TaskBlocked", taskBlocked(blocked))
    }
    case "StopAsked":
      return { _tag: "DoneAborted" } satisfies Outcome
  }
})
