// Drive: a converging run while a process drives it, and the hand-off that it works on.
import { Effect } from "effect"
import type { EventLog, LogReadError } from "../../log/EventLog.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { fnv1a64 } from "../../review/findings/Finding.ts"
import { type FindingsReport, findingsReport } from "../../review/findings/Report.ts"
import type { ReviewedBatch } from "../../review/findings/ReviewedBatch.ts"
import { readHistory } from "../../review/findings/Reviews.ts"
import { barOf } from "../../review/findings/Waiving.ts"
import type { Identity } from "../../run/Identity.ts"
import { currentBatch, type Run } from "../../run/Run.ts"
import { TrustStateRoot } from "../../run/RunStore.ts"
import type { Settings } from "../../run/Settings.ts"
import type { Drive, DriveOptions } from "../Drive.ts"
import type { Spent } from "../Spending.ts"
import type { Handoff } from "./Decide.ts"
import type { ConvergeEvent } from "./Event.ts"
import { blocks } from "./Prompts.ts"
import type { ConvergeSettings } from "./Settings.ts"
import type { ConvergeState } from "./State.ts"

/** What a step handed over: the hand-off to decide from, its prompt, its findings, and the reviewed content. */
export interface Assignment {
  readonly handoff: Handoff
  readonly prompt: string
  readonly report: FindingsReport
  readonly content: Identity
}

const found = ({ findings, unlisted }: ReviewedBatch): ReadonlyArray<string> => [
  ...findings.map(({ fingerprint }) => fingerprint),
  ...unlisted.map(({ slot }) => `unlisted-${slot}`)
]

// Clean batches add nothing to look over.
const historyOf = (batches: ReadonlyArray<ReviewedBatch>): string =>
  fnv1a64(
    batches.map((one) => [one.level, one.batch, ...found(one)]).filter((one) => one.length > 2).join("\n")
  )

/** Reads what the hand-off of a step is about. */
export const assignmentOf = Effect.fn("Drive.assignmentOf")(
  function*(run: Run, { kind, prompt }: Pick<Handoff, "kind"> & Pick<Assignment, "prompt">, settings: Settings) {
    const { level, batch } = currentBatch(run)
    const { batches } = yield* readHistory(run, { until: { level, batch } })
    const report = findingsReport(run.manifest, batches, yield* barOf(run, settings))
    if (report === null) return yield* Effect.die(new Error("a hand-off is about a batch that never began"))
    const { completed, identity } = report.batch.started
    const open = report.findings.filter(blocks).map(({ finding }) => finding.fingerprint)
    return {
      handoff: {
        kind,
        level,
        batch,
        findings: [...new Set(open), ...report.batch.unlisted.map(({ slot }) => `unlisted-${slot}`)],
        anyFinding: batches.some((one) => found(one).length > 0),
        history: historyOf(batches)
      },
      prompt,
      report,
      content: completed ?? identity
    } satisfies Assignment
  }
)

/** The options of a call beside its settings. */
export interface ConvergeOptions extends DriveOptions {
  /** Whether to treat the code as untrusted, although the settings name no pull request and no trusted commit. */
  readonly untrusted?: boolean
  /** Whether `stop` asked the caller to end, and so this call too. */
  readonly isStopped?: Effect.Effect<boolean, LogReadError, EventLog>
}

/** Work with what the settings of its steps say of git and of the state root. */
export const withStepSettings = <A, E, R>(work: Effect.Effect<A, E, R>, { step }: ConvergeSettings) =>
  work.pipe(
    Effect.provideService(IdentityTimeout, step.identityTimeout),
    Effect.provideService(TrustStateRoot, step.trustStateRoot)
  )

/** A converging run that has a driver. `assignment` is what the last step handed over, null before a step. */
export interface ConvergeDrive extends Drive<ConvergeState, ConvergeEvent> {
  readonly options: ConvergeOptions
  readonly cwd: string
  readonly run: Run
  /** Whether the code is untrusted. */
  readonly untrusted: boolean
  readonly assignment: Assignment | null
  readonly spent: Spent
}
