// Turn: one turn of the run of a submitted target: a step that does not wait, and what follows from its end.
// What a turn decides is bound to the log that it read, so two turns at once set a mark only once.
import { Clock, Effect } from "effect"
import { type Pin, type Submission, Submissions, type NumberedSubmission } from "./Submission.ts"
import { type Action, make } from "../run/Invocation.ts"
import { exitCode, header, type Outcome } from "../run/Outcome.ts"
import type { Settings } from "../run/Settings.ts"
import { type Batch, slotsOf } from "../run/Batch.ts"
import { differs } from "../run/Identity.ts"
import type { TargetRef } from "../log/Refs.ts"
import * as Reviewing from "../review/End.ts"
import { untilDue } from "../review/Start.ts"
import type { Run } from "../run/Run.ts"
import { failedCode, type FleetTargetState, type FleetTarget, FleetTargets } from "./FleetTargets.ts"
import { isHeld, mayCome, PinnedCode, pinsOf } from "./PinnedCode.ts"
import type { StoreFailed } from "../run/RunStore.ts"
import { isAway } from "../platform/SystemFault.ts"
import { loopStep } from "../step/LoopStep.ts"
import { markStep } from "../step/MarkStep.ts"
import type { Failure } from "../platform/Failure.ts"
import type { StepFailure } from "../step/Step.ts"
import { failedResult, type StepResult } from "../step/StepResult.ts"

/** How the runs of a fleet are driven. `retro`: whether retrospectives wait for a person, or the fleet marks them. */
export interface TurnOptions extends Pick<Settings, "codexBin" | "idleTimeout" | "reviewTimeout"> {
  readonly retro: "park" | "clean"
}

// Milliseconds after which a waiting run is looked at without being woken.
const secondLook = 10 * 60_000
// Milliseconds until a copy is requested again while another process uses its mirror.
const copyAgain = 10_000

/** The settings of a turn. Every batch reviews the copy of one head, and every fixed point is strict. */
const settingsOf = ({ batchSize, ceiling, floor, pr }: Submission, turning: TurnOptions): Settings => {
  const { codexBin, idleTimeout, reviewTimeout } = turning
  const given = { floor, ceiling, batchSize, codexBin, idleTimeout, reviewTimeout }
  return make({
    ...given,
    target: { _tag: "PullRequest", number: pr },
    strict: true,
    isolate: true,
    // A turn waits for no reviewer: its end wakes the run.
    stepTimeout: 1
  }).settings
}

/** Whether a failure may be over at the next turn: the database answers, or another turn has committed. */
const passes = (failure: StepFailure): boolean => {
  if (failure._tag === "LogConflict" || failure._tag === "HeadMoved") return true
  const reason = "reason" in failure ? failure.reason : null
  return reason !== null && reason._tag === "DatabaseRefused" && isAway(reason)
}

const asResult = (failure: StepFailure): Effect.Effect<StepResult, StepFailure> =>
  passes(failure) ? Effect.fail(failure) : Effect.succeed(failedResult(failure))

type SideEffect = Extract<Action, { readonly _tag: "SideEffect" }>

/**
 * The mark that a turn sets by itself, or null if a person or a push must act. The fleet may answer a retrospective. A
 * push answers a batch with issues; since the pushed tests did not run here, the mark only says that reviews
 * restart.
 */
const ownMark = ({ outcome, run }: StepResult, { identity }: Pin, retro: TurnOptions["retro"]): SideEffect | null => {
  if (run === null || outcome._tag !== "HandoffAgent") return null
  const { batch, batch_number, current_level: level, run_id } = run.manifest
  switch (outcome.action) {
    case "Retrospective":
      return retro === "park" ? null : {
        _tag: "SideEffect",
        mark: { _tag: "RetroClean" },
        answers: { level, batch: batch_number, run: run_id }
      }
    case "AddressBatch":
      return batch._tag === "Started" && differs(batch.identity, identity)
        ? { _tag: "SideEffect", mark: { _tag: "RestartFromFloor" } }
        : null
  }
}

// A review may be lost because another one killed its machine. After so many attempts it is the likely cause itself.
const mostAttempts = 3

/** Whether a batch failed only because reviews were lost, so that it is run again. */
const isOnlyLost = (batch: Batch): boolean =>
  batch._tag === "Started" && batch.failedAt > 0 &&
  slotsOf(batch, "Failed").every(({ attempts, kind }) => kind === "Lost" && attempts < mostAttempts)

/**
 * Steps until the run waits, is handed over or is done; null as soon as another submission is the newest, which has a
 * turn of its own: making a copy may take minutes, and a step or a mark would then concern an old head. Each mark is
 * bound to the head of the log that was read.
 */
const stepped = Effect.fnUntraced(function*(
  settings: Settings,
  retro: TurnOptions["retro"],
  pinned: Pin,
  isNewest: Effect.Effect<boolean, StoreFailed>
) {
  const { worktree } = pinned
  while (yield* isNewest) {
    const result = yield* loopStep(settings, false, worktree)
    if (result.outcome._tag === "BinaryError" && result.run !== null && isOnlyLost(result.run.manifest.batch)) continue
    const mark = ownMark(result, pinned, retro)
    if (mark === null || result.run === null) return result
    if (!(yield* isNewest)) return null
    const expectHead = result.run.head
    yield* markStep({ ...settings, expectHead }, mark, Effect.succeed(Reviewing), worktree)
  }
  return null
})

const standings = {
  Idle: "Active",
  DoneFixedPoint: "Done",
  StuckRepeated: "Parked",
  StuckCapReached: "Parked",
  HandoffHuman: "Parked",
  WouldAdvance: "Parked",
  HandoffAgent: "Parked",
  BinaryError: "Parked",
  DoneAborted: "Parked",
  UsageError: "Parked"
} as const satisfies Record<Outcome["_tag"], FleetTargetState>

/** Wakes a waiting run when a retry is due, and once more in case a wake-up was lost. */
const wakeLater = Effect.fnUntraced(function*(target: TargetRef, { head, manifest, ...run }: Run, settings: Settings) {
  const targets = yield* FleetTargets
  const due = untilDue({ head, manifest, ...run }, settings, yield* Clock.currentTimeMillis)
  const name = `${manifest.run_id} ${head.seq}`
  if (Number.isFinite(due)) yield* targets.wakeLater(target, `retry of ${name}`, due)
  yield* targets.wakeLater(target, `second look at ${name}`, secondLook)
})

/** Whether a target was parked by a failed turn, and neither its log nor its submission has changed since. */
const isAtRest = ({ end, moved, standing, submission }: FleetTarget, newest: NumberedSubmission): boolean =>
  standing === "Parked" && end?.code === failedCode && submission === newest.number && !moved

const failedBy = (failure: Failure): Effect.Effect<StepResult> => Effect.succeed(failedResult(failure))

/**
 * Takes one turn of a target's run, for the `tries`th time from 1. If it fails, the queue offers it again. A late
 * wake-up leaves a failed run alone; otherwise its lost reviews would start again for ever.
 */
export const turn = Effect.fn("Turn.turn")(function*(target: TargetRef, turning: TurnOptions, tries: number) {
  const targets = yield* FleetTargets
  const submissions = yield* Submissions
  const [newest] = yield* submissions.of(target, 1)
  if (newest === undefined) return
  const standing = yield* targets.of(target)
  if (standing !== null && isAtRest(standing, newest)) return
  const turns = standing?.turns ?? 0
  const settings = settingsOf(newest.submission, turning)
  // A wake-up of its own: the tries of this one are for failures.
  const waits = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => targets.wakeLater(target, `clone of submission ${newest.number} at ${now}`, copyAgain)
  )
  const result = yield* Effect.gen(function*() {
    const [pinned, ...before] = yield* pinsOf(target, newest)
    const shown = (yield* PinnedCode).shown([pinned, ...before])
    const isNewest = Effect.map(submissions.of(target, 1), ([one]) => one?.number === newest.number)
    return yield* stepped(settings, turning.retro, pinned, isNewest).pipe(Effect.provide(shown), Effect.catch(asResult))
  }).pipe(
    Effect.catchTags({
      TreeFailed: (failure) => {
        if (isHeld(failure)) return Effect.as(waits, null)
        return mayCome(failure, tries) ? Effect.fail(failure) : failedBy(failure)
      },
      CodeFailed: failedBy,
      DismissalsFailed: failedBy
    })
  )
  if (result === null) return
  const { outcome, run } = result
  if (outcome._tag === "Idle" && run !== null) yield* wakeLater(target, run, settings)
  yield* targets.turned(target, {
    submission: newest.number,
    turns,
    run: run === null ? null : { id: run.manifest.run_id, seq: run.head.seq },
    end: { header: header(outcome), code: exitCode(outcome) },
    standing: standings[outcome._tag]
  })
})
