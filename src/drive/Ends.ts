// Ends: how a call of a driver ends at which a person must act: its header, and what is asked of that person.
import { Effect } from "effect"
import { type AgentEnding, parseFailedReport } from "../agent/AgentEnding.ts"
import { ConsentNeeded, isGiven } from "../agent/Consent.ts"
import type { DriverStream } from "../agent/TaskLog.ts"
import { presentIdentity, type Reviewed } from "../code/PresentIdentity.ts"
import { isUncommitted } from "../run/Identity.ts"
import type { HumanAction, Outcome } from "../run/Outcome.ts"
import type { DrivenState } from "./State.ts"
import { tailOfTest } from "./TestRuns.ts"
import { changedCode, Tests } from "./Tests.ts"
import type { ConvergeSettings } from "./converge/Settings.ts"
import {
  agentFailed,
  commitRefused,
  consentNeeded,
  type Driving,
  gitStateChanged,
  taskBlocked,
  testsFailed
} from "./words.ts"

/** What an end is told from: the stream, and the subcommand that drives. */
export interface Ending {
  readonly call: Driving
  readonly driver: DriverStream<DrivenState>
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
  const one = driver.state.tests.find(({ started }) => started.test === test)
  return testsFailed({
    call,
    run,
    round: red.round,
    command: red.command,
    exit: one?.standing._tag === "Finished" ? one.standing.finished.exit : null,
    changed: one !== undefined && changedCode(one),
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

// What stands against beginning a call of any driver: changes of a person's, and consent that is missing.

const dirtyEnd: Outcome = {
  _tag: "BinaryError",
  message: "--commit-fixes needs a worktree without changes of yours [commit or stash them first]"
}

/**
 * The end of a first call where a person has changed something; null for no end. `--commit-fixes` commits everything:
 * what was changed before must not be among it.
 */
export const dirtyWorktree = Effect.fn("Ends.dirtyWorktree")(
  function*({ commitFixes }: ConvergeSettings, reviewed: Reviewed, isFirst: boolean) {
    if (commitFixes === null || !isFirst) return null
    return isUncommitted(yield* presentIdentity(reviewed)) ? dirtyEnd : null
  }
)

/** The end of a call that has no consent to the repository's own tests, of this digest; null for no end. */
export const withoutConsent = (
  call: Driving,
  state: DrivenState,
  { allow }: ConvergeSettings,
  content: string | null
): Outcome | null => {
  const consent = "repository-tests"
  return content === null || allow.includes(consent) || isGiven(state, consent, content)
    ? null
    : consentEnd(new ConsentNeeded({ consent }).message, call)
}
