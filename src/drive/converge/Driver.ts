// Driver: a run while somebody drives it.
import { Clock, Effect } from "effect"
import type { EventLog, LogReadError } from "../../log/EventLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import { Progress } from "../../review/Progress.ts"
import { fnv1a64 } from "../../review/findings/Finding.ts"
import { type FindingsReport, findingsReport } from "../../review/findings/Report.ts"
import type { ReviewedBatch } from "../../review/findings/ReviewedBatch.ts"
import { readHistory } from "../../review/findings/Reviews.ts"
import { barOf } from "../../review/findings/Waiving.ts"
import type { Identity } from "../../run/Identity.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { currentBatch, type Run } from "../../run/Run.ts"
import type { Settings } from "../../run/Settings.ts"
import type { WorkPlace } from "../../step/RunOfWorktree.ts"
import { headingOf } from "../LiveView.ts"
import { spendingOf, type Spent } from "../Spending.ts"
import { gatherView, shownWhile } from "../View.ts"
import type { Handoff } from "./Decide.ts"
import { blocks } from "./Prompts.ts"
import type { ConvergeSettings } from "./Settings.ts"
import type { ConvergeDriver, RoundState } from "./State.ts"

// What a step handed over: the findings of its batch, and what all batches of the run have found so far.

/** A hand-off that stands: what is decided from, its prompt, the findings, and what was reviewed. */
export interface Standing {
  readonly handoff: Handoff
  readonly prompt: string
  readonly report: FindingsReport
  readonly content: Identity
}

/** What is handed over: which kind of work, and the words of the contract for it. */
type HandedOver = Pick<Handoff, "kind"> & Pick<Standing, "prompt">

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
export const standingOf = Effect.fn("Driver.standingOf")(
  function*(run: Run, { kind, prompt }: HandedOver, settings: Settings) {
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
    } satisfies Standing
  }
)

// A run while somebody drives it: its log, the stream of its driver, and the hand-off that stands.

/** A driven run. `id` is the driver's; `standing` is the hand-off of the last step, null before one was asked for. */
export interface Driving {
  readonly id: string
  readonly pid: number
  /** The branch that was checked out when the call began; null for a detached HEAD. */
  readonly branch: string | null
  /** Is told of each run that is driven. */
  readonly onRun: (run: RunRef) => Effect.Effect<void>
  /** Whether whoever calls was asked to end, and the driver with it. */
  readonly isStopped: Effect.Effect<boolean, LogReadError, EventLog>
  readonly settings: ConvergeSettings
  readonly cwd: string
  readonly place: WorkPlace
  readonly run: Run
  /** Whether the code may be somebody else's. */
  readonly untrusted: boolean
  readonly driver: ConvergeDriver
  readonly standing: Standing | null
  readonly spent: Spent
}

/** What a turn comes to: the run goes on, or the call ends. */
export type Turn =
  | { readonly _tag: "On"; readonly driving: Driving }
  | { readonly _tag: "Over"; readonly driving: Driving; readonly outcome: Outcome }

export const on = (driving: Driving): Turn => ({ _tag: "On", driving })

export const over = (driving: Driving, outcome: Outcome): Turn => ({ _tag: "Over", driving, outcome })

/** A round by its number. Rounds are counted without a gap. */
export const roundOf = ({ driver }: Driving, round: number): Effect.Effect<RoundState> => {
  const found = driver.state.rounds[round - 1]
  return found === undefined ? Effect.die(new Error(`round ${round} never began`)) : Effect.succeed(found)
}

/** The agents' or tests' worktree: the root of the repository. */
export const worktreeOf = ({ run }: Driving): string => run.manifest.worktree

// How a person who watches sees a run that converges, and the reviewers of its steps below it.

/** Looks at a run; each look reads on from where the one before ended. */
const looking = ({ run: { ref }, settings, spent: before }: Driving) => {
  const knows = { ceiling: settings.step.ceiling, limits: settings }
  let spent = before
  return Effect.gen(function*() {
    spent = yield* spendingOf(ref, spent)
    return yield* gatherView(ref, spent, knows, yield* Clock.currentTimeMillis)
  })
}

/** Works while a person sees what an agent or a test does. */
export const shown = <A, E, R>(driving: Driving, work: Effect.Effect<A, E, R>) => shownWhile(looking(driving), work)

/** A step whose reviewers are shown below where the driven run stands. */
export const showingReviews = Effect.fn("Driver.showingReviews")(
  function*<A, E, R>(driving: Driving, step: Effect.Effect<A, E, R>) {
    const progress = yield* Progress
    if (!progress.on) return yield* step
    const look = yield* Effect.context<Effect.Services<ReturnType<typeof looking>>>()
    const view = Effect.provide(looking(driving), look)
    return yield* Effect.provideService(step, Progress, {
      ...progress,
      show: (rows) =>
        Effect.flatMap(view, (driven) => progress.show(rows, driven === null ? undefined : headingOf(driven)))
    })
  }
)
