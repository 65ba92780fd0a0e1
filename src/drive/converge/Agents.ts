// Agents: what each agent of a round is asked.
import { Effect } from "effect"
import type { ResultOrder } from "../../agent/AskForResult.ts"
import { compactPrompt } from "../../agent/PromptBudget.ts"
import { RunStore } from "../../run/RunStore.ts"
import { refusedCommit } from "../Decide.ts"
import { continued, messageOf, orderOf, threadOf } from "../Kernel.ts"
import { fixCommitPrompt, fixTestsPrompt, finishPrompt } from "../Prompts.ts"
import { addressTaskId, type AddressTask, gapsUpTo, isTestFix, lastAgent, numberOf } from "../Tasks.ts"
import { redTest, tailOfTest } from "../TestRuns.ts"
import { suite, type TestFault, type Tests } from "../Tests.ts"
import { answersAll } from "./Answers.ts"
import type { ConvergeDrive, Assignment } from "./Drive.ts"
import { addressPrompt, type EarlierAnswer, patternsPrompt, retroPrompt } from "./Prompts.ts"
import type { RoundState } from "./State.ts"

/** The names of the findings that agents answer by a line each. */
export const answerable = ({ handoff: { findings } }: Assignment): ReadonlyArray<string> =>
  findings.filter((name) => /^[0-9a-f]{16}$/.test(name))

/** The last answers in some rounds, with the titles of their findings as reviewers worded them. */
export const titledAnswers = (
  { report }: Assignment,
  rounds: ReadonlyArray<RoundState>
): ReadonlyArray<EarlierAnswer> => {
  const all = [...report.gone, ...report.unseen, ...report.findings]
  const titles = new Map(all.map(({ finding: { fingerprint, title } }) => [fingerprint, title]))
  return rounds
    .flatMap(({ answered }) => answered.at(-1)?.answers ?? [])
    .map((answer) => ({ ...answer, title: titles.get(answer.fingerprint) ?? "" }))
}

/** The end of what the tests printed that were red before the first agent. */
const redBaseline = Effect.fnUntraced(function*(drive: ConvergeDrive) {
  const { driver: { state }, settings } = drive
  const now = suite(settings.tests, state.tests.filter(({ started }) => started.round === 0))
  return now._tag === "Red" ? yield* tailOfTest(drive, now.test.test) : null
})

const addressWords = Effect.fnUntraced(
  function*(drive: ConvergeDrive, assignment: Assignment, taskId: string, round: number) {
    const { driver: { state }, settings } = drive
    return addressPrompt({
      contractPrompt: assignment.prompt,
      taskId,
      findings: assignment.report.findings,
      unlisted: assignment.report.batch.unlisted,
      earlier: titledAnswers(assignment, state.rounds.filter((one) => one.round < round)),
      findingsFile: assignment.report.batch.places.findings,
      tests: settings.tests,
      protect: settings.protect,
      redBaseline: yield* redBaseline(drive)
    })
  }
)

/** What is red after the round's last agent: a test, or git that refused to commit. */
const redWords = Effect.fnUntraced(function*(
  drive: ConvergeDrive,
  assignment: Assignment,
  one: RoundState,
  taskId: string,
  thread: string | null
) {
  const { driver: { state }, settings } = drive
  const again = {
    taskId,
    attempt: numberOf(taskId),
    of: settings.fixAttempts,
    fingerprints: answerable(assignment),
    whole: thread === null
  }
  const refused = refusedCommit(state, one)
  return refused === null
    ? fixTestsPrompt({ ...again, timeout: settings.testTimeout, ...yield* redTest(drive, one.round) })
    : fixCommitPrompt({ ...again, output: refused.output.text })
})

/** The whole prompt of a task of a round, for an agent that knows nothing of it or continues `thread`. */
const wordsOf: (
  drive: ConvergeDrive,
  assignment: Assignment,
  round: RoundState,
  task: AddressTask,
  thread: string | null
) => Effect.Effect<string, TestFault, RunStore | Tests> = Effect.fnUntraced(
  function*(drive, assignment, round, task, thread) {
    const { driver: { state }, run, settings } = drive
    const taskId = addressTaskId(round.round, task)
    const historyFile = (yield* RunStore).runPlaces(run.ref).history
    switch (task) {
      case "address": {
        const words = yield* addressWords(drive, assignment, taskId, round.round)
        return compactPrompt(words, settings.contextTokens)
      }
      case "patterns":
        return patternsPrompt({
          taskId,
          patterns: messageOf(lastAgent(state, round.round, "retrospective")),
          historyFile,
          tests: settings.tests,
          protect: settings.protect,
          floor: run.manifest.start_level
        })
      case "retrospective":
        return retroPrompt({ contractPrompt: assignment.prompt, taskId, historyFile, level: assignment.handoff.level })
      default: {
        const red = yield* redWords(drive, assignment, round, taskId, thread)
        if (thread !== null) return red
        const first = round.started.kind === "AddressBatch" ? "address" : "patterns"
        return `${yield* wordsOf(drive, assignment, round, first, null)}\n\n${red}`
      }
    }
  }
)

/** The order for an agent of a round. */
export const agentOrder = Effect.fn("Agents.agentOrder")(
  function*(drive: ConvergeDrive, assignment: Assignment, round: RoundState, task: AddressTask) {
    const { driver: { state }, settings } = drive
    const number = round.round
    const taskId = addressTaskId(number, task)
    const reads = task === "retrospective"
    const before = isTestFix(task) ? lastAgent(state, number) : null
    const thread = before === null ? null : threadOf(before)
    const digest = task === "address" ? yield* addressWords(drive, assignment, taskId, number) : null
    const whole = digest === null
      ? yield* wordsOf(drive, assignment, round, task, thread)
      : compactPrompt(digest, settings.contextTokens)
    // Agents up to this one have named gaps: they are over, and what they left is asked for.
    const after = gapsUpTo(state, number, task)
    const last = state.agents.agents[after - 1]
    const fingerprints = answerable(assignment)
    const asked = last === undefined
      ? { prompt: whole, thread }
      : continued(last, whole, finishPrompt({ taskId, issues: messageOf(last), fingerprints }))
    return {
      ...orderOf(drive, {
        role: reads ? "code-quality-reviewer" : "worker",
        taskId,
        prompt: asked.prompt,
        sandbox: reads ? "read-only" : "workspace-write",
        untrusted: drive.untrusted,
        model: (reads ? settings.retroModel : null) ?? settings.agentModel,
        findings: round.started.kind === "AddressBatch" ? assignment.report.batch.places.findings : null
      }),
      after,
      mustWork: !reads,
      answers: (message) => answersAll(message, fingerprints),
      ...(asked.thread === null ? {} : { thread: asked.thread }),
      // A model that refused the whole prompt gets a shorter one.
      ...(digest === null ? {} : { compact: (window) => compactPrompt(digest, window ?? settings.contextTokens, true) })
    } satisfies ResultOrder
  }
)
