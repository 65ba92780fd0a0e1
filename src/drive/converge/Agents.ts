// Agents: what each agent of a round is asked.
import { Effect, Fiber, Schedule } from "effect"
import { askForResult, type ResultOrder } from "../../agent/AskForResult.ts"
import { compactPrompt } from "../../agent/PromptBudget.ts"
import type { AgentState } from "../../agent/State.ts"
import { refreshDriver } from "../../agent/TaskLog.ts"
import type { SignalName } from "../../platform/Process.ts"
import { refresh } from "../../run/Run.ts"
import { RunStore } from "../../run/RunStore.ts"
import { on, record } from "../Drive.ts"
import { answered, interrupted, messageOf, orderOf, threadOf } from "../Kernel.ts"
import { fixCommitPrompt, fixTestsPrompt, finishPrompt } from "../Prompts.ts"
import { caughtUp, isSignal, stopWork, waitFor } from "../Stop.ts"
import { redTest, tailOfTest } from "../TestRuns.ts"
import { suite, type TestFault, type Tests } from "../Tests.ts"
import { type ConvergeDrive, roundOf, type Standing } from "./Drive.ts"
import { addressPrompt, type EarlierAnswer, patternsPrompt, retroPrompt } from "./Prompts.ts"
import type { RoundState } from "./State.ts"
import { type AgentTaskName, answersAll, gapsUpTo, lastOf, taskIdOf } from "./Tasks.ts"

// What each agent of a round is asked: its prompt, its thread, what it may do.

/** The names of the findings that agents answer by a line each. */
export const answerable = ({ handoff: { findings } }: Standing): ReadonlyArray<string> =>
  findings.filter((name) => /^[0-9a-f]{16}$/.test(name))

/** The titles of findings as reviewers told them, by name; a finding that is gone has none. */
const titlesOf = ({ report }: Standing): ReadonlyMap<string, string> =>
  new Map([
    ...report.gone.map(({ finding }) => finding),
    ...report.unseen.map(({ finding }) => finding),
    ...report.findings.map(({ finding }) => finding)
  ].map(({ fingerprint, title }) => [fingerprint, title]))

const earlierAnswers = (
  { driver }: ConvergeDrive,
  standing: Standing,
  before: number
): ReadonlyArray<EarlierAnswer> => {
  const titles = titlesOf(standing)
  return driver.state.rounds
    .filter(({ started }) => started.round < before)
    .flatMap(({ answered }) => answered.at(-1)?.answers ?? [])
    .map((answer) => ({ ...answer, title: titles.get(answer.fingerprint) ?? "" }))
}

/** The end of what the tests printed that were red before the first agent. */
const redBaseline = Effect.fnUntraced(function*(drive: ConvergeDrive) {
  const { driver: { state }, settings } = drive
  const stands = suite(settings.tests, state.tests.filter(({ started }) => started.round === 0))
  return stands._tag === "Red" ? yield* tailOfTest(drive, stands.test.test) : null
})

type Words = Effect.Effect<string, TestFault, RunStore | Tests>

const addressWords = Effect.fnUntraced(
  function*(drive: ConvergeDrive, standing: Standing, taskId: string, round: number) {
    const { settings } = drive
    return addressPrompt({
      contractPrompt: standing.prompt,
      taskId,
      findings: standing.report.findings,
      unlisted: standing.report.batch.unlisted,
      earlier: earlierAnswers(drive, standing, round),
      findingsFile: standing.report.batch.places.findings,
      tests: settings.tests,
      protect: settings.protect,
      redBaseline: yield* redBaseline(drive)
    })
  }
)

const patternsWords = Effect.fnUntraced(function*(drive: ConvergeDrive, taskId: string, round: number) {
  const { driver: { state }, run, settings } = drive
  const reader = lastOf(state, round, taskIdOf(round, { _tag: "Retro" }))
  return patternsPrompt({
    taskId,
    patterns: messageOf(reader),
    historyFile: (yield* RunStore).runPlaces(run.ref).history,
    tests: settings.tests,
    protect: settings.protect,
    floor: run.manifest.start_level
  })
})

const retroWords = Effect.fnUntraced(function*({ run }: ConvergeDrive, standing: Standing, taskId: string) {
  const historyFile = (yield* RunStore).runPlaces(run.ref).history
  return retroPrompt({ contractPrompt: standing.prompt, taskId, historyFile, level: standing.handoff.level })
})

/** What is red after the round's last agent: a test, or git that refused to commit. */
const redWords = Effect.fnUntraced(function*(
  drive: ConvergeDrive,
  standing: Standing,
  round: RoundState,
  mend: number,
  thread: string | null
) {
  const { driver: { state }, settings } = drive
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
  return fixTestsPrompt({ ...again, timeout: settings.testTimeout, ...yield* redTest(drive, number) })
})

/** The whole prompt of a task of a round, for an agent that knows nothing of it or continues `thread`. */
const wordsOf: (
  drive: ConvergeDrive,
  standing: Standing,
  round: RoundState,
  name: AgentTaskName,
  thread: string | null
) => Words = Effect.fnUntraced(function*(drive, standing, round, name, thread) {
  const number = round.started.round
  const taskId = taskIdOf(number, name)
  switch (name._tag) {
    case "Address": {
      const words = yield* addressWords(drive, standing, taskId, number)
      return compactPrompt(words, drive.settings.contextTokens)
    }
    case "Patterns":
      return yield* patternsWords(drive, taskId, number)
    case "Retro":
      return yield* retroWords(drive, standing, taskId)
    case "Mend": {
      const red = yield* redWords(drive, standing, round, name.mend, thread)
      if (thread !== null) return red
      const first = round.started.kind === "AddressBatch" ? "Address" : "Patterns"
      return `${yield* wordsOf(drive, standing, round, { _tag: first }, null)}\n\n${red}`
    }
  }
})

/** Makes the shorter prompt for a model that refused the whole one. */
const compacting = Effect.fnUntraced(
  function*(drive: ConvergeDrive, standing: Standing, taskId: string, round: number) {
    const words = yield* addressWords(drive, standing, taskId, round)
    return (window: number | null) => compactPrompt(words, window ?? drive.settings.contextTokens, true)
  }
)

/** The order for a task that was asked before: what is left, on the thread of the last agent if that has one. */
const again = (whole: string, last: AgentState, standing: Standing, taskId: string) => {
  const thread = threadOf(last)
  const words = finishPrompt({ taskId, issues: messageOf(last), fingerprints: answerable(standing) })
  return { prompt: thread === null ? `${whole}\n\n${words}` : words, thread }
}

/** The order for an agent of a round. */
export const agentOrder = Effect.fn("Agents.agentOrder")(
  function*(drive: ConvergeDrive, standing: Standing, round: RoundState, name: AgentTaskName) {
    const { driver: { state }, settings } = drive
    const number = round.started.round
    const taskId = taskIdOf(number, name)
    const reads = name._tag === "Retro"
    const before = name._tag === "Mend" ? lastOf(state, number) : null
    const thread = before === null ? null : threadOf(before)
    const whole = yield* wordsOf(drive, standing, round, name, thread)
    // Agents up to this one have named gaps: they are over, and what they left is asked for.
    const after = gapsUpTo(state, number, taskId)
    const last = state.agents.agents[after - 1]
    const asked = last === undefined ? { prompt: whole, thread } : again(whole, last, standing, taskId)
    const common = orderOf(drive, {
      role: reads ? "code-quality-reviewer" : "worker",
      taskId,
      prompt: asked.prompt
    })
    return {
      ...common,
      task: {
        ...common.task,
        sandbox: reads ? "read-only" : "workspace-write",
        untrusted: drive.untrusted,
        model: (reads ? settings.retroModel : null) ?? settings.agentModel,
        findings: round.started.kind === "AddressBatch" ? standing.report.batch.places.findings : null
      },
      after,
      mustWork: !reads,
      answers: (message) => answersAll(message, answerable(standing)),
      ...(asked.thread === null ? {} : { thread: asked.thread }),
      ...(name._tag === "Address" ? { compact: yield* compacting(drive, standing, taskId, number) } : {})
    } satisfies ResultOrder
  }
)

// Asks the agent of a round, while somebody may end the call or answer the hand-off instead.

// Milliseconds between two looks at the run's log, in which somebody else may answer the hand-off.
const lookEvery = 1000

/** The run once it has left the batch of the hand-off: somebody else has answered it. */
const answeredElsewhere = Effect.fnUntraced(function*({ run }: ConvergeDrive, { handoff }: Standing) {
  const { manifest } = yield* refresh(run)
  const left = manifest.current_level !== handoff.level || manifest.batch_number !== handoff.batch
  return left ? "Moved" as const : null
})

const untilMoved = (drive: ConvergeDrive, standing: Standing) =>
  Effect.repeat(answeredElsewhere(drive, standing), {
    schedule: Schedule.spaced(lookEvery),
    until: (seen) => seen !== null
  }).pipe(Effect.as("Moved" as const))

/** Waits for work that goes on without this process, until it ends, for a signal, or for somebody else's answer. */
export const waitOn = <A, E, R>(
  drive: ConvergeDrive,
  signals: Fiber.Fiber<SignalName>,
  work: Effect.Effect<A, E, R>
) => {
  const { standing } = drive
  const asked = waitFor(signals, work)
  return standing === null ? asked : Effect.raceFirst(asked, untilMoved(drive, standing))
}

/** Leaves the round that somebody else has answered; its agents and tests are ended, and what they changed stays. */
export const leaveRound = Effect.fn("Agents.leaveRound")(function*(before: ConvergeDrive) {
  const drive = yield* stopWork(yield* caughtUp(before), "Superseded")
  const last = drive.driver.state.rounds.at(-1)
  const closed = last === undefined || last.closed !== null
    ? drive
    : yield* record(drive, [{ _tag: "RoundClosed", round: last.started.round, because: "AnsweredElsewhere" }])
  return on({ ...closed, standing: null })
})

/** Asks an agent of a round to its end. */
export const askAgent = Effect.fn("Agents.askAgent")(
  function*(
    drive: ConvergeDrive,
    standing: Standing,
    round: number,
    name: AgentTaskName,
    signals: Fiber.Fiber<SignalName>
  ) {
    const order = yield* agentOrder(drive, standing, yield* roundOf(drive, round), name)
    const ended = yield* waitOn(drive, signals, askForResult(drive.driver, order))
    if (ended === "Moved") return yield* leaveRound(drive)
    if (isSignal(ended)) return yield* interrupted(drive, ended)
    const { result } = ended
    const now = { ...drive, driver: yield* refreshDriver(ended.driver) }
    const isLeft = result._tag === "Stopped" && result.cause === "Superseded"
    return answered(isLeft ? { ...now, standing: null } : now, result)
  }
)
