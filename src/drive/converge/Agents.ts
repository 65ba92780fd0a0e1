// Agents: what each agent of a round is asked.
import { Effect, Fiber, Schedule } from "effect"
import { type ResultOutcome, askForResult, type ResultOrder } from "../../agent/AskForResult.ts"
import { compactPrompt } from "../../agent/PromptBudget.ts"
import type { AgentState } from "../../agent/State.ts"
import { defaultLimits } from "../../agent/Task.ts"
import { refreshDriver } from "../../agent/TaskLog.ts"
import type { SignalName } from "../../platform/Process.ts"
import type { LongText } from "../../run/Event.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { refresh } from "../../run/Run.ts"
import { RunStore } from "../../run/RunStore.ts"
import { agentFailedEnd, gitChangedEnd } from "../Ends.ts"
import { fixCommitPrompt, fixTestsPrompt, finishPrompt } from "../Prompts.ts"
import { caughtUp, isSignal, stopWork, waitFor } from "../Stop.ts"
import { redTest, tailOfTest } from "../TestRuns.ts"
import { suite, type TestFault, type Tests } from "../Tests.ts"
import { record } from "../Work.ts"
import { type Driving, on, over, roundOf, shown, type Standing, type Turn, worktreeOf } from "./Driver.ts"
import { asConverge } from "./Ends.ts"
import { addressPrompt, type EarlierAnswer, patternsPrompt, retroPrompt } from "./Prompts.ts"
import type { RoundState } from "./State.ts"
import { type AgentTaskName, answersAll, gapsUpTo, lastOf, taskIdOf } from "./Tasks.ts"

// What each agent of a round is asked: its prompt, its thread, what it may do.

/** The names of the findings that agents answer by a line each. */
export const answerable = ({ handoff: { findings } }: Standing): ReadonlyArray<string> =>
  findings.filter((name) => /^[0-9a-f]{16}$/.test(name))

const messageOf = ({ standing }: AgentState): LongText | null =>
  standing._tag === "Finished" ? standing.finished.message : null

const threadOf = ({ standing }: AgentState): string | null =>
  standing._tag === "Finished" ? standing.finished.threadId : null

/** The titles of findings as reviewers told them, by name; a finding that is gone has none. */
const titlesOf = ({ report }: Standing): ReadonlyMap<string, string> =>
  new Map([
    ...report.gone.map(({ finding }) => finding),
    ...report.unseen.map(({ finding }) => finding),
    ...report.findings.map(({ finding }) => finding)
  ].map(({ fingerprint, title }) => [fingerprint, title]))

const earlierAnswers = ({ driver }: Driving, standing: Standing, before: number): ReadonlyArray<EarlierAnswer> => {
  const titles = titlesOf(standing)
  return driver.state.rounds
    .filter(({ started }) => started.round < before)
    .flatMap(({ answered }) => answered.at(-1)?.answers ?? [])
    .map((answer) => ({ ...answer, title: titles.get(answer.fingerprint) ?? "" }))
}

/** The end of what the tests printed that were red before the first agent. */
const redBaseline = Effect.fnUntraced(function*(driving: Driving) {
  const { driver: { state }, settings } = driving
  const stands = suite(settings.tests, state.tests.filter(({ started }) => started.round === 0))
  return stands._tag === "Red" ? yield* tailOfTest(driving, stands.test.test) : null
})

type Words = Effect.Effect<string, TestFault, RunStore | Tests>

const addressWords = Effect.fnUntraced(function*(driving: Driving, standing: Standing, taskId: string, round: number) {
  const { settings } = driving
  return addressPrompt({
    contractPrompt: standing.prompt,
    taskId,
    findings: standing.report.findings,
    unlisted: standing.report.batch.unlisted,
    earlier: earlierAnswers(driving, standing, round),
    findingsFile: standing.report.batch.places.findings,
    tests: settings.tests,
    protect: settings.protect,
    redBaseline: yield* redBaseline(driving)
  })
})

const patternsWords = Effect.fnUntraced(function*(driving: Driving, taskId: string, round: number) {
  const { driver: { state }, run, settings } = driving
  const reader = lastOf(state, round, taskIdOf(round, { _tag: "Retro" }))
  return patternsPrompt({
    taskId,
    patterns: (reader === null ? null : messageOf(reader))?.text ?? "",
    historyFile: (yield* RunStore).runPlaces(run.ref).history,
    tests: settings.tests,
    protect: settings.protect,
    floor: run.manifest.start_level
  })
})

const retroWords = Effect.fnUntraced(function*({ run }: Driving, standing: Standing, taskId: string) {
  const historyFile = (yield* RunStore).runPlaces(run.ref).history
  return retroPrompt({ contractPrompt: standing.prompt, taskId, historyFile, level: standing.handoff.level })
})

/** What is red after the round's last agent: a test, or git that refused to commit. */
const redWords = Effect.fnUntraced(function*(
  driving: Driving,
  standing: Standing,
  round: RoundState,
  mend: number,
  thread: string | null
) {
  const { driver: { state }, settings } = driving
  const number = round.started.round
  const again = {
    taskId: taskIdOf(number, { _tag: "Mend", mend }),
    attempt: mend,
    of: settings.fixAttempts,
    fingerprints: answerable(standing),
    whole: thread === null
  }
  const refusal = round.commits.at(-1)
  if (refusal?.commit === null && refusal.agent === lastOf(state, number)?.agent) {
    return fixCommitPrompt({ ...again, output: refusal.output.text })
  }
  return fixTestsPrompt({ ...again, timeout: settings.testTimeout, ...yield* redTest(driving, number) })
})

/** The whole prompt of a task of a round, for an agent that knows nothing of it or continues `thread`. */
const wordsOf: (
  driving: Driving,
  standing: Standing,
  round: RoundState,
  name: AgentTaskName,
  thread: string | null
) => Words = Effect.fnUntraced(function*(driving, standing, round, name, thread) {
  const number = round.started.round
  const taskId = taskIdOf(number, name)
  switch (name._tag) {
    case "Address": {
      const words = yield* addressWords(driving, standing, taskId, number)
      return compactPrompt(words, driving.settings.contextTokens)
    }
    case "Patterns":
      return yield* patternsWords(driving, taskId, number)
    case "Retro":
      return yield* retroWords(driving, standing, taskId)
    case "Mend": {
      const red = yield* redWords(driving, standing, round, name.mend, thread)
      if (thread !== null) return red
      const first = round.started.kind === "AddressBatch" ? "Address" : "Patterns"
      return `${yield* wordsOf(driving, standing, round, { _tag: first }, null)}\n\n${red}`
    }
  }
})

/** Makes the shorter prompt for a model that refused the whole one. */
const compacting = Effect.fnUntraced(function*(driving: Driving, standing: Standing, taskId: string, round: number) {
  const words = yield* addressWords(driving, standing, taskId, round)
  return (window: number | null) => compactPrompt(words, window ?? driving.settings.contextTokens, true)
})

/** The order for a task that was asked before: what is left, on the thread of the last agent if that has one. */
const again = (whole: string, last: AgentState, standing: Standing, taskId: string) => {
  const thread = threadOf(last)
  const words = finishPrompt({ taskId, issues: messageOf(last)?.text ?? "", fingerprints: answerable(standing) })
  return { prompt: thread === null ? `${whole}\n\n${words}` : words, thread }
}

/** The order for an agent of a round. */
export const agentOrder = Effect.fn("Agents.agentOrder")(
  function*(driving: Driving, standing: Standing, round: RoundState, name: AgentTaskName) {
    const { driver: { state }, settings } = driving
    const number = round.started.round
    const taskId = taskIdOf(number, name)
    const reads = name._tag === "Retro"
    const before = name._tag === "Mend" ? lastOf(state, number) : null
    const thread = before === null ? null : threadOf(before)
    const whole = yield* wordsOf(driving, standing, round, name, thread)
    // Agents up to this one have named gaps: they are over, and what they left is asked for.
    const after = gapsUpTo(state, number, taskId)
    const last = state.agents.agents[after - 1]
    const asked = last === undefined ? { prompt: whole, thread } : again(whole, last, standing, taskId)
    const task: ResultOrder["task"] = {
      role: reads ? "code-quality-reviewer" : "worker",
      taskId,
      prompt: asked.prompt,
      cwd: worktreeOf(driving),
      sandbox: reads ? "read-only" : "workspace-write",
      untrusted: driving.untrusted,
      effort: settings.agentEffort,
      model: (reads ? settings.retroModel : null) ?? settings.agentModel,
      findings: round.started.kind === "AddressBatch" ? standing.report.batch.places.findings : null,
      limits: { ...defaultLimits, timeout: settings.agentTimeout }
    }
    return {
      task,
      after,
      allow: settings.allow,
      waitQuota: settings.waitQuota,
      mustWork: !reads,
      answers: (message) => answersAll(message, answerable(standing)),
      ...(asked.thread === null ? {} : { thread: asked.thread }),
      ...(settings.maxTokens === null ? {} : { budget: settings.maxTokens }),
      ...(name._tag === "Address" ? { compact: yield* compacting(driving, standing, taskId, number) } : {})
    } satisfies ResultOrder
  }
)

// Asks the agent of a round, while somebody may end the call or answer the hand-off instead.

// Milliseconds between two looks at the run's log, in which somebody else may answer the hand-off.
const lookEvery = 1000

const aborted: Outcome = { _tag: "DoneAborted" }

/** The run once it has left the batch of the hand-off: somebody else has answered it. */
const answeredElsewhere = Effect.fnUntraced(function*({ run }: Driving, { handoff }: Standing) {
  const { manifest } = yield* refresh(run)
  const left = manifest.current_level !== handoff.level || manifest.batch_number !== handoff.batch
  return left ? "moved" as const : null
})

const untilMoved = (driving: Driving, standing: Standing) =>
  Effect.repeat(answeredElsewhere(driving, standing), {
    schedule: Schedule.spaced(lookEvery),
    until: (seen) => seen !== null
  }).pipe(Effect.as("moved" as const))

/** What ended the waiting: the work itself, a signal, or somebody else's answer. */
type Ended<A> = A | SignalName | "moved"

/** Waits for work that goes on without this process. */
export const waitOn = <A, E, R>(
  driving: Driving,
  standing: Standing | null,
  signals: Fiber.Fiber<SignalName>,
  work: Effect.Effect<A, E, R>
) => {
  const asked = waitFor(signals, shown(driving, work))
  return standing === null ? asked : Effect.raceFirst(asked, untilMoved(driving, standing))
}

/**
 * Ends the call for a signal, or leaves the round that somebody else has answered. A person's signal ends the agent and
 * its tests; what the agent has changed stays. Null where the work itself has ended.
 */
export const interrupted = Effect.fn("Agents.interrupted")(function*<A>(before: Driving, ended: Ended<A>) {
  if (ended !== "moved" && !isSignal(ended)) return null
  // The stream as it was read before lacks what the work committed until it was interrupted.
  const driving = yield* caughtUp(before)
  if (ended === "SIGTERM" || ended === "SIGHUP") return over(driving, aborted)
  const stopped = yield* stopWork(driving, ended === "moved" ? "Superseded" : "Interrupt")
  if (ended === "SIGINT") return over(stopped, aborted)
  const last = stopped.driver.state.rounds.at(-1)
  const closed = last === undefined || last.closed !== null
    ? stopped
    : yield* record(stopped, [{ _tag: "RoundClosed", round: last.started.round, because: "AnsweredElsewhere" }])
  return on({ ...closed, standing: null })
})

/** What an agent came to: most of it stands in the stream, from which the next decision is made. */
const taken = (driving: Driving, result: ResultOutcome): Turn => {
  switch (result._tag) {
    case "Judged":
      return on(driving)
    case "Halted":
      return over(driving, agentFailedEnd(asConverge(driving), result))
    case "GitStateChanged":
      return over(driving, gitChangedEnd(asConverge(driving), result.what))
    case "Stopped":
      return result.cause === "Superseded" ? on({ ...driving, standing: null }) : over(driving, aborted)
  }
}

/** Asks an agent of a round to its end. */
export const askAgent = Effect.fn("Agents.askAgent")(
  function*(
    driving: Driving,
    standing: Standing,
    round: number,
    name: AgentTaskName,
    signals: Fiber.Fiber<SignalName>
  ) {
    const order = yield* agentOrder(driving, standing, yield* roundOf(driving, round), name)
    const ended = yield* waitOn(driving, standing, signals, askForResult(driving.driver, order))
    const turn = yield* interrupted(driving, ended)
    if (turn !== null || typeof ended === "string") return turn ?? on(driving)
    // A stop is recorded before it ends the agent. If one is recorded, the agent's own end says nothing.
    const driver = yield* refreshDriver(ended.driver)
    return driver.state.stopAsked ? on({ ...driving, driver }) : taken({ ...driving, driver }, ended.result)
  }
)
