// Look: one look at a run: its logs, continued from the last look, and which of its processes live.
// It records nothing and ends nothing. It never fails: an unreadable part is part of the view.
import { Clock, Effect, Stream } from "effect"
import { underWay } from "../agent/State.ts"
import { agentActivity } from "../agent/stream/Activity.ts"
import { Snapshots } from "../code/Snapshots.ts"
import { convergeRun } from "../drive/converge/State.ts"
import { isAtWork } from "../drive/DriverLock.ts"
import { ladderOf } from "../drive/plan/Runs.ts"
import { planRun } from "../drive/plan/State.ts"
import type { LogReadError } from "../log/EventLog.ts"
import type { RunRef } from "../log/Refs.ts"
import type { StreamKind, TaggedEvent } from "../log/StreamKind.ts"
import { type WalkedEvent, type WalkedLine, placeAfter, walkLog, type WalkPlace } from "../log/Walk.ts"
import { recovered } from "../platform/Note.ts"
import { observe } from "../review/Observe.ts"
import { gatherRows, Progress, type WorkRow, workRowOf } from "../review/Progress.ts"
import { ReviewFiles } from "../review/ReviewFiles.ts"
import { reviewRun } from "../run/ReviewRun.ts"
import { hasWork } from "../run/Owner.ts"
import { openAttempts } from "../run/Run.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { RunStore } from "../run/RunStore.ts"
import { selectAll, selectOwn, type SearchPlace } from "../step/Selection.ts"
import { span } from "../text/Phrases.ts"
import { activityOf, terminalLine } from "../text/ProgramOutput.ts"
import { type AgentView, openRound, runFold, type RunFacts, type TestView } from "./RunView.ts"
import { runOf } from "./RunFindings.ts"
import { statusOf, type RunStatus, undoneStatus } from "./RunStatus.ts"
import { workOf } from "./words.ts"

/** The living processes of a run at one moment. `work`: its unfinished reviewers, agents and tests. */
export interface RunNow {
  readonly at: number
  readonly reviewers: number
  /** Whether its last driver is at work. */
  readonly driven: boolean
  readonly work: ReadonlyArray<WorkRow>
}

/** A run in its logs and processes. */
export interface RunView extends RunFacts, RunNow {
  readonly status: RunStatus
  readonly directory: string
  /** The review run that converges a plan's code, or did so last. */
  readonly ladder: RunView | null
}

/** Reads a log from where the last reading ended. */
const readOn = <E extends TaggedEvent, S>(
  kind: StreamKind<E, S>,
  run: RunRef,
  take: (happening: WalkedEvent<E, S>) => void,
  takeLine: (line: WalkedLine<E, S>) => void = () => {}
) => {
  let place: WalkPlace<S> | null = null
  return Effect.suspend(() =>
    walkLog(kind, run, place === null ? {} : { from: place }).pipe(
      Stream.runForEachArray((steps) =>
        Effect.sync(() => {
          for (const step of steps) {
            if (step._tag === "Line") {
              step.happenings.forEach(take)
              takeLine(step)
            }
            place = placeAfter(step)
          }
        })
      )
    )
  )
}

/** The readers of a run's logs; the failure of its own log, or null. */
const logsOf = (run: RunRef) => {
  const fold = runFold()
  const own = isPlanRun(run)
    ? readOn(planRun, run, fold.drove, fold.line)
    : readOn(reviewRun, run, fold.reviewed, fold.line)
  const beside = isPlanRun(run) ? Effect.void : readOn(convergeRun, run, fold.drove).pipe(
    Effect.catchTag("LogMissing", () => Effect.void),
    Effect.tapError(recovered("of the driver's log, what can be read is shown")),
    Effect.ignore
  )
  return {
    fold,
    read: own.pipe(
      Effect.tapError(recovered("the run is shown as unreadable")),
      Effect.match({ onFailure: (error): LogReadError | null => error, onSuccess: () => null }),
      Effect.tap(() => beside)
    )
  }
}

const since = (now: number, from: number | null): number => Math.max(0, Math.round(now - (from ?? now)))

const agentRow = Effect.fnUntraced(
  function*(run: RunRef, { from, state: { agent, failures, standing, started } }: AgentView, now: number) {
    const { attempt, id, kind, taskId } = started
    const task = workOf(taskId)
    const row = { name: kind === "command" ? "agent" : kind, elapsed: since(now, from) }
    if (standing._tag === "Waiting") {
      const why = terminalLine(failures.at(-1)?.message.text ?? "")
      const again = `tries again in ${span(Math.max(0, standing.until - now))}`
      const activity = why === "" ? again : `${again}: ${why}`
      return { ...row, state: "waiting", activity, silentFor: null } satisfies WorkRow
    }
    const { at, end } = yield* (yield* Progress).printed({ run, agent, attempt, id, kind })
    const activity = `${task}: ${agentActivity(kind, end) || "begins"}`
    return { ...row, state: "running", activity, silentFor: at === null ? null : since(now, at) } satisfies WorkRow
  }
)

const testRow = Effect.fnUntraced(
  function*(run: RunRef, { from, state: { started: { command, id, test } } }: TestView, now: number) {
    const { at, end } = yield* (yield* Progress).printed({ run, test, id })
    const said = activityOf(end)
    return {
      name: "test",
      state: "running",
      elapsed: since(now, from),
      activity: said === "" ? terminalLine(command) : `${terminalLine(command)}: ${said}`,
      silentFor: at === null ? null : since(now, at)
    } satisfies WorkRow
  }
)

/** The rows of the current batch while one of its reviewers lives, and how many live. */
const reviewerRows = Effect.fnUntraced(function*(facts: RunFacts) {
  const run = runOf(facts)
  if (run === null) return { reviewers: 0, rows: [] }
  const { fate } = yield* ReviewFiles
  const fates = yield* Effect.forEach(openAttempts(run), (attempt) =>
    fate(attempt).pipe(
      Effect.tapError(recovered("a reviewer that cannot be looked at counts as gone")),
      Effect.orElseSucceed(() => "Gone" as const)
    ))
  const reviewers = fates.filter((one) => one === "Alive").length
  if (reviewers === 0) return { reviewers, rows: [] }
  const seen = yield* Effect.orElseSucceed(observe(run, false), () => [])
  const rows = yield* gatherRows(run, seen)
  // A single reviewer needs no number.
  const named = rows.map((row) => ({
    ...workRowOf(row),
    name: rows.length === 1 ? row.level : `${row.level} ${row.slot}`
  }))
  return { reviewers, rows: named }
})

const nowOf = Effect.fnUntraced(function*(facts: RunFacts) {
  const { drive, ref, rounds, tests, unread } = facts
  const at = yield* Clock.currentTimeMillis
  if (unread !== null) return { at, reviewers: 0, driven: false, work: [] } satisfies RunNow
  const { reviewers, rows } = yield* reviewerRows(facts)
  const open = drive === null ? [] : underWay(drive.agents).map(({ agent }) => agent)
  const agents = facts.agents.filter(({ state }) => open.includes(state.agent))
  const running = [...rounds.flatMap((round) => round.tests), ...tests]
    .filter(({ state }) => state.standing._tag === "Running")
  return {
    at,
    reviewers,
    driven: yield* isAtWork(ref, drive?.drivers.at(-1) ?? null),
    work: [
      ...rows,
      ...yield* Effect.forEach(agents, (one) => agentRow(ref, one, at)),
      ...yield* Effect.forEach(running, (one) => testRow(ref, one, at))
    ]
  } satisfies RunNow
})

/** The review run of a plan run: the one that its driver converges, or that it converged last, or null. */
const ladderRef = Effect.fnUntraced(function*(facts: RunFacts, { driven, work }: RunNow) {
  const { converged, plan, ref } = facts
  const driver = facts.drive?.drivers.at(-1)
  if (plan === null || driver === undefined) return null
  if (driven && work.length === 0 && openRound(facts) === null) {
    const present = yield* ladderOf(ref, driver)
    if (present !== null) return present
  }
  const last = converged.at(-1)?.run
  if (last === undefined) return null
  return (yield* (yield* RunStore).list(ref.root, ref.repoId)).find(({ runId }) => runId === last) ?? null
})

/** Whether `undo` changed the code after the last line of the logs, so that what they say is of other code. */
const isUndone = Effect.fnUntraced(
  function*({ drive, ref, updated }: RunFacts, { state }: RunStatus) {
    if ((state !== "Done" && state !== "NeedsYou") || (drive?.agents.snapshots.length ?? 0) === 0) return false
    const last = yield* (yield* Snapshots).lastAfter(ref, updated ?? 0)
    return last !== null && last.round === null
  },
  Effect.tapError(recovered("an undo is left out of the status")),
  Effect.orElseSucceed(() => false)
)

/** When the code of a run was last reviewed completely, by its logs; 0 for never. */
const reviewedAt = ({ batches, rounds }: RunFacts): number =>
  Math.max(
    0,
    ...batches.filter(({ started }) => started.completed !== null).map(({ to }) => to),
    ...rounds.flatMap(({ reviews }) => reviews.map(({ at }) => at))
  )

/** The logs of a run, with the rounds marked that `undo` has taken back since the code was last reviewed. */
const withUndone = Effect.fnUntraced(function*(facts: RunFacts) {
  if ((facts.drive?.agents.snapshots.length ?? 0) === 0) return facts
  const { lastAfter, list } = yield* Snapshots
  const since = reviewedAt(facts)
  const rounds = yield* lastAfter(facts.ref, since).pipe(
    Effect.flatMap((last) => last === null ? Effect.succeed([]) : list(facts.ref)),
    Effect.map((all) => all.findLast(({ at, cause }) => cause._tag === "AfterUndo" && Date.parse(at) > since)),
    Effect.map((last) => last?.cause._tag === "AfterUndo" ? last.cause.rounds ?? [] : []),
    Effect.tapError(recovered("no round is shown as taken back")),
    Effect.orElseSucceed((): ReadonlyArray<number> => [])
  )
  if (rounds.length === 0) return facts
  const marked = facts.rounds.map((one) => rounds.includes(one.round) ? { ...one, undone: true } : one)
  return { ...facts, rounds: marked } satisfies RunFacts
})

type Needs =
  | Effect.Services<ReturnType<typeof isUndone>>
  | Effect.Services<ReturnType<typeof nowOf>>
  | Effect.Services<ReturnType<typeof ladderRef>>
  | Effect.Services<ReturnType<typeof logsOf>["read"]>

/** Looks at a run. Each further evaluation continues from the last look. */
export const looking = (run: RunRef): Effect.Effect<RunView, never, Needs> => {
  const { fold, read } = logsOf(run)
  let ladder: { readonly run: RunRef; readonly look: ReturnType<typeof looking> } | null = null
  return Effect.gen(function*() {
    const { directory } = (yield* RunStore).runPlaces(run)
    const facts = yield* withUndone(fold.facts(run, directory, yield* read))
    const now = yield* nowOf(facts)
    const below = yield* Effect.orElseSucceed(ladderRef(facts, now), () => null)
    if (below !== null && ladder?.run.runId !== below.runId) ladder = { run: below, look: looking(below) }
    const seen = below === null || ladder === null ? null : yield* ladder.look
    const own = statusOf(facts, now)
    const status =
      own.end?._tag === "Failed" && own.end.reviews !== undefined && seen?.status.reason === "ReviewsFailed"
        ? seen.status
        : own
    return {
      ...facts,
      ...now,
      status: (yield* isUndone(facts, status)) ? undoneStatus : status,
      directory,
      ladder: seen
    } satisfies RunView
  })
}

/** The logs of a run, without a look at its processes. */
export const readFacts = Effect.fn("Look.readFacts")(function*(run: RunRef) {
  const { fold, read } = logsOf(run)
  const { directory } = (yield* RunStore).runPlaces(run)
  return yield* withUndone(fold.facts(run, directory, yield* read))
})

/** Whether a run has begun a review or a round, or a driver has worked on it, such as one whose first test failed. */
export const hasBegun = Effect.fn("Look.hasBegun")(function*(run: RunRef) {
  return (yield* hasWork(run)) || ((yield* readFacts(run)).drive?.drivers ?? []).length > 0
})

/** A run as it is now. */
export const look = Effect.fn("Look.look")((run: RunRef) => Effect.suspend(() => looking(run)))

/** The runs of the repository around a directory, or all that are stored, newest first. Only reads. */
export const runs = Effect.fn("Look.runs")(function*(where: SearchPlace, everywhere: boolean = false) {
  return yield* Effect.forEach(everywhere ? yield* selectAll(where, true) : (yield* selectOwn(where)).runs, look)
})
