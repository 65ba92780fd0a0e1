// AgentOrders: what each agent of a round is asked: its prompt, its thread, what it may do.
import { Effect } from "effect"
import type { ResultOrder } from "../agents/AskForResult.ts"
import type { AgentState } from "../core/agent/AgentsState.ts"
import { compactPrompt } from "../core/agent/Compact.ts"
import { defaultLimits } from "../core/agent/Task.ts"
import { addressPrompt, type EarlierAnswer } from "../core/converge/AddressPrompt.ts"
import type { RoundState } from "../core/converge/ConvergeState.ts"
import { answersAll } from "../core/converge/Answers.ts"
import { patternsPrompt, retroPrompt } from "../core/converge/Prompts.ts"
import { mendCommitPrompt, mendPrompt, remediatePrompt } from "../core/driven/MendPrompts.ts"
import { suite } from "../core/driven/Suite.ts"
import { type AgentTaskName, gapsUpTo, lastOf, taskIdOf } from "../core/converge/Tasks.ts"
import type { LongText } from "../core/run/Event.ts"
import { RunStore } from "../services/RunStore.ts"
import type { TestFault, Tests } from "../services/Tests.ts"
import { type Driving, worktreeOf } from "./Driving.ts"
import type { Standing } from "./Handoff.ts"
import { tailOfTest } from "../driving/TestRuns.ts"

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
    budget: null,
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
    return mendCommitPrompt({ ...again, output: refusal.output.text })
  }
  const red = state.tests.findLast(({ standing, started }) =>
    started.round === number && standing._tag === "Finished" && standing.finished.exit !== 0
  )
  return mendPrompt({
    ...again,
    command: red?.started.command ?? "",
    exit: red?.standing._tag === "Finished" ? red.standing.finished.exit : null,
    timeout: settings.testTimeout,
    tail: red === undefined ? "" : yield* tailOfTest(driving, red.started.test)
  })
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
  const words = remediatePrompt({ taskId, issues: messageOf(last)?.text ?? "", fingerprints: answerable(standing) })
  return { prompt: thread === null ? `${whole}\n\n${words}` : words, thread }
}

/** The order for an agent of a round. */
export const agentOrder = Effect.fn("AgentOrders.agentOrder")(
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
