// Agents: what each agent of a round is asked.
import { Effect } from "effect"
import type { ResultOrder } from "../../agent/AskForResult.ts"
import { compactPrompt } from "../../agent/PromptBudget.ts"
import { RunStore } from "../../run/RunStore.ts"
import { paragraphs } from "../../text/Phrases.ts"
import { messageOf, redPrompt, taskOrder, threadOf } from "../Kernel.ts"
import { addressTaskId, type AddressTask, gapsUpTo, isTestFix, lastAgent, type TestFix } from "../Tasks.ts"
import { tailOfTest } from "../TestRuns.ts"
import { suite } from "../Tests.ts"
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

/** The whole prompt of a task of a round but the fixing of tests: of one with a digest, in parts. */
const promptOf = Effect.fnUntraced(
  function*(drive: ConvergeDrive, assignment: Assignment, { round }: RoundState, task: Exclude<AddressTask, TestFix>) {
    const { driver: { state }, run, settings } = drive
    const { handoff: { level }, prompt: contractPrompt, report: { batch, findings } } = assignment
    const taskId = addressTaskId(round, task)
    const historyFile = (yield* RunStore).runPlaces(run.ref).history
    const { protect, tests } = settings
    switch (task) {
      case "address":
        return addressPrompt({
          contractPrompt,
          taskId,
          findings,
          unlisted: batch.unlisted,
          earlier: titledAnswers(assignment, state.rounds.filter((one) => one.round < round)),
          findingsFile: batch.places.findings,
          tests,
          protect,
          redBaseline: yield* redBaseline(drive)
        })
      case "patterns": {
        const patterns = messageOf(lastAgent(state, round, "retrospective"))
        return patternsPrompt({ taskId, patterns, historyFile, tests, protect, floor: run.manifest.start_level })
      }
      case "retrospective":
        return retroPrompt({ contractPrompt, taskId, historyFile, level })
    }
  }
)

/** The order for an agent of a round. */
export const agentOrder = Effect.fn("Agents.agentOrder")(
  function*(drive: ConvergeDrive, assignment: Assignment, round: RoundState, task: AddressTask) {
    const { driver: { state }, settings: { agentModel, contextTokens, retroModel } } = drive
    const { round: number, started: { kind } } = round
    const taskId = addressTaskId(number, task)
    const reads = task === "retrospective"
    const first = !isTestFix(task) ? task : kind === "AddressBatch" ? "address" : "patterns"
    const thread = isTestFix(task) ? threadOf(lastAgent(state, number)) : null
    const asked = thread === null ? yield* promptOf(drive, assignment, round, first) : ""
    const whole = typeof asked === "string" ? asked : compactPrompt(asked, contextTokens)
    const fingerprints = answerable(assignment)
    const red = isTestFix(task) ? yield* redPrompt(drive, round, taskId, thread, fingerprints) : ""
    const order = taskOrder(drive, {
      role: reads ? "code-quality-reviewer" : "worker",
      taskId,
      round: number,
      prompt: paragraphs(whole, red),
      sandbox: reads ? "read-only" : "workspace-write",
      untrusted: drive.untrusted,
      model: (reads ? retroModel : null) ?? agentModel,
      findings: kind === "AddressBatch" ? assignment.report.batch.places.findings : null
    }, { after: gapsUpTo(state, number, task), fingerprints, thread })
    return {
      ...order,
      mustWork: !reads,
      answers: (message) => answersAll(message, fingerprints),
      // A model that refused the whole prompt gets a shorter one.
      ...(typeof asked === "string" || isTestFix(task)
        ? {}
        : { compact: (window) => compactPrompt(asked, window ?? contextTokens, true) })
    } satisfies ResultOrder
  }
)
