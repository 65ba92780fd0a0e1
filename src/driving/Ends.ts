// Ends: how a call of a driver ends at which a person must act: its header, and what is asked of that person.
import { Effect } from "effect"
import type { Held } from "../agents/Driver.ts"
import type { AgentEnding } from "../core/agent/AgentEnding.ts"
import { parseFailedReport } from "../core/agent/FailedReport.ts"
import {
  agentFailed,
  commitRefused,
  consentNeeded,
  type Driving,
  gitStateChanged,
  taskBlocked,
  testsFailed
} from "../core/driven/HandoffText.ts"
import type { HumanAction, Outcome } from "../core/loop/Outcome.ts"
import { Tests } from "../services/Tests.ts"
import { tailOfTest } from "./TestRuns.ts"

/** What an end is told from: the stream, and the subcommand that drives. */
export interface Ending {
  readonly call: Driving
  readonly driver: Held
  readonly settings: { readonly testTimeout: number }
}

/** A person is asked for something. */
export const human = (action: HumanAction, prompt: string): Outcome => ({ _tag: "HandoffHuman", action, prompt })

/** Somebody must allow something first. */
export const consentEnd = (message: string, call: Driving): Outcome =>
  human("ConsentNeeded", consentNeeded(message, call))

/** An agent failed in a way that a fresh one would meet too. */
export const agentFailedEnd = (
  { call, driver: { ref, state } }: Ending,
  { agent, ending, remedy }: { readonly agent: number; readonly ending: AgentEnding; readonly remedy: string | null }
): Outcome =>
  human(
    "AgentFailed",
    agentFailed({
      call,
      run: ref.runId,
      taskId: state.agents.agents[agent - 1]?.started.taskId ?? "",
      ending: ending._tag,
      message: ending.message,
      remedy,
      report: ending._tag === "Reported" ? ending.report : null,
      isRejected: false
    })
  )

/** An agent changed git's own state. */
export const gitChangedEnd = ({ call, driver: { ref } }: Ending, parts: ReadonlyArray<string>): Outcome =>
  human("GitStateChanged", gitStateChanged({ call, run: ref.runId, parts }))

/** What stays red: a test by its number; null where git refused to commit, and then `output` is what it said. */
export interface Red {
  readonly command: string
  readonly round: number
  readonly test: number | null
  readonly restored: boolean
  readonly output: string
}

/** The text for a person about what stays red. */
export const redText = Effect.fn("Ends.redText")(function*(ending: Ending, red: Red) {
  const { call, driver, settings } = ending
  const { output, restored, test } = red
  const run = driver.ref.runId
  if (test === null) return commitRefused({ call, run, restored, output })
  const one = driver.state.tests.find(({ started }) => started.test === test)?.standing
  return testsFailed({
    call,
    run,
    round: red.round,
    command: red.command,
    exit: one?._tag === "Finished" ? one.finished.exit : null,
    timeout: settings.testTimeout,
    tail: yield* tailOfTest(ending, test),
    file: (yield* Tests).place(driver.ref, test),
    restored
  })
})

/** No result of an agent could be used. */
export const rejectedEnd = ({ call, driver: { ref, state } }: Ending, agent: number): Outcome => {
  const one = state.agents.agents[agent - 1]
  const standing = one?.standing
  const message = standing?._tag === "Finished"
    ? standing.finished.message.text
    : standing?._tag === "Failed"
    ? standing.failed.message.text
    : ""
  const run = ref.runId
  const taskId = one?.started.taskId ?? ""
  const report = standing?._tag === "Finished" && standing.finished.ending === "Reported"
    ? parseFailedReport(message)
    : null
  if (report !== null || standing?._tag === "Failed") {
    const remedy = standing?._tag === "Failed" ? standing.failed.remedy : null
    const ending = standing?._tag === "Failed" ? standing.failed.failure : "Reported"
    return human("AgentFailed", agentFailed({ call, run, taskId, ending, message, remedy, report, isRejected: true }))
  }
  const problems = one?.judged?.problems ?? []
  const blocked = { call, run, taskId, problems, issues: message, protectedFiles: [], isOver: false }
  return human("TaskBlocked", taskBlocked(blocked))
}

/** Files were changed that no agent may change, by the work on `taskId`. */
export const protectedEnd = (
  { call, driver: { ref } }: Ending,
  taskId: string,
  files: ReadonlyArray<string>
): Outcome =>
  human(
    "TaskBlocked",
    taskBlocked({ call, run: ref.runId, taskId, problems: [], issues: null, protectedFiles: files, isOver: true })
  )
