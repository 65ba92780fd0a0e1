// Watch: a run that another process drives, watched.
import { Clock, Effect, Option, Stream } from "effect"
import { type AgentState, underWay } from "../agent/State.ts"
import { type DriverSeen, driverSeen, isAtWork } from "../drive/DriverWatch.ts"
import { headingOf, type LiveView, placeText } from "../drive/LiveView.ts"
import {
  type DriverPlace,
  type Spending,
  spendingOf,
  spendingText,
  type Spent,
  spent as known,
  unspent
} from "../drive/Spending.ts"
import { gatherPlanView, gatherView, unknown } from "../drive/View.ts"
import { ladderOf } from "../drive/plan/Runs.ts"
import { planRun, type PlanState } from "../drive/plan/State.ts"
import type { RunRef } from "../log/Refs.ts"
import { Output, Signals } from "../platform/Process.ts"
import { observe, type SeenReviewer } from "../review/Observe.ts"
import { gatherRows, Progress, type Row, rowText, workText } from "../review/Progress.ts"
import { assess, slotsOf } from "../run/Batch.ts"
import { runName } from "../run/Document.ts"
import type { Manifest } from "../run/Manifest.ts"
import { read, refresh, type Run } from "../run/Run.ts"
import { jsonText } from "../text/Json.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { oneLine, shortened } from "../text/Untrusted.ts"

// What watching tells beside the reviewers: the agents of the run's driver, and the tokens so far.
// The stream of the driver says it. Whether an agent's processes live is not looked at.

/** An agent that is under way. `elapsed`: milliseconds since its present attempt was started. */
interface AgentRow {
  readonly agent: number
  readonly attempt: number
  readonly state: "running" | "waiting"
  readonly elapsed: number
  readonly kind: string
  readonly role: string
  readonly task: string
}

/** What is known of agents and tokens. An unknown value has no field. */
interface AgentWork {
  readonly agents?: ReadonlyArray<AgentRow>
  readonly usage?: Spending
}

const rowOf = ({ agent, standing, started }: AgentState, driver: DriverPlace, now: number): AgentRow => ({
  agent,
  attempt: started.attempt,
  state: standing._tag === "Waiting" ? "waiting" : "running",
  elapsed: Math.max(0, now - (driver?.since.get(agent) ?? now)),
  kind: started.kind,
  role: started.role,
  task: started.taskId
})

/** The agents that are under way now, and what the run has used. */
export const agentWork = ({ driver, spending }: Spent, now: number): AgentWork => {
  const state = driver?.walked.state ?? null
  const agents = state === null ? [] : underWay(state.agents).map((one) => rowOf(one, driver, now))
  return { ...(agents.length === 0 ? {} : { agents }), ...known(spending) }
}

/** The fields of a document alone. */
export const workOf = ({ agents, usage }: AgentWork): AgentWork => ({
  ...(agents === undefined ? {} : { agents }),
  ...(usage === undefined ? {} : { usage })
})

const longestTask = 100

/** A line, and the part of it whose change is printed. */
interface WorkLine {
  readonly essence: string
  readonly text: string
}

const lineOf = ({ agent, attempt, elapsed, kind, role, state, task }: AgentRow): WorkLine => {
  const doing = `${kind} as ${role} of "${oneLine(shortened(task, longestTask))}"`
  return {
    essence: `agent ${agent} ${attempt} ${state}`,
    text: workText({ name: `agent ${agent}`, state, elapsed, activity: doing, silentFor: null })
  }
}

/** The lines for people: one for each agent that is under way, one for the tokens. */
export const workLines = ({ agents = [], usage }: AgentWork): ReadonlyArray<WorkLine> => {
  const tokens = usage === undefined ? [] : [`tokens    ${spendingText(usage)}`]
  return [...agents.map(lineOf), ...tokens.map((text) => ({ essence: text, text }))]
}

// Tells what watching the run of a plan shows: redrawn lines, else a line or a document for each change.

/** The lines of a driven run: where it stands, then each agent and test. */
const drivenLines = (view: LiveView): ReadonlyArray<WorkLine> => [
  { essence: placeText(view), text: placeText(view) },
  ...view.work.map((one) => ({ essence: `${one.name} ${one.state} ${one.activity}`, text: workText(one) }))
]

/** What documents tell of a driven run: its last round or cycle, and the agents and tests that are under way. */
export const drivenFields = ({ place, work }: LiveView) =>
  place._tag === "OnLadder" ? { round: place.round, work } : { cycle: place.cycle, done: place.done, work }

const endText = (outcome: string | null): string =>
  outcome === null
    ? "the driver is gone without a word; the next call of implement goes on"
    : `the driver ended in ${outcome}`

/** Tells what is watched, one after the other: to people on what they watch, or as documents of one line each. */
export const tellPlan = Effect.fn("Watch.tellPlan")(function*(run: RunRef, json: boolean) {
  const output = yield* Output
  const progress = yield* Progress
  let known: ReadonlySet<string> = new Set()

  const changes = (view: LiveView, at: string): string => {
    const lines = drivenLines(view)
    const news = lines.filter(({ essence }) => !known.has(essence))
    known = new Set(lines.map(({ essence }) => essence))
    if (!json) return news.map(({ text }) => `${at}  ${text}\n`).join("")
    return news.length === 0 ? "" : `${jsonText({ schema: 1, at, run: runName(run), ...drivenFields(view) })}\n`
  }

  const told = Effect.fnUntraced(function*(watched: Exclude<WatchedPlan, { readonly _tag: "OnLadder" }>) {
    const at = new Date(watched.at).toISOString()
    if (watched._tag === "InPlan") {
      return yield* progress.on && !json
        ? progress.show([], headingOf(watched.view))
        : output.write(changes(watched.view, at))
    }
    const text = endText(watched.outcome)
    yield* progress.clear
    return yield* output.write(
      json ? `${jsonText({ schema: 1, at, run: runName(run), end: "DriverEnded", text })}\n` : `${text}\n`
    )
  })
  return { told }
})

// What watching tells where nothing can be redrawn: a line for each change, and one for the end.
// Each text is one line. Fields of the documents are only added.

const where = ({ batch_number, current_level, repo_id, run_id, target_key }: Manifest) => ({
  run: { run: run_id, repo: repo_id, target: target_key },
  level: current_level,
  batch: batch_number
})

/** The line of a changed row, with the time. */
export const changeText = (row: Row, _: Manifest, at: string): string => `${at}  ${rowText(row)}\n`

const drivenOf = (view: LiveView | null) => view === null ? {} : drivenFields(view)

/** The document of a changed row. Times in milliseconds. */
export const changeJson = (
  row: Row,
  manifest: Manifest,
  at: string,
  work: AgentWork = {},
  view: LiveView | null = null
): string => {
  const { activity, elapsed, silentFor, slot, state } = row
  const told = { slot, state, elapsed, silentFor, activity, ...drivenOf(view), ...workOf(work) }
  return `${jsonText({ schema: 1, at, ...where(manifest), ...told })}\n`
}

/** The document of a change in a driven run that is none of a reviewer. */
export const workJson = (manifest: Manifest, at: string, work: AgentWork, view: LiveView): string =>
  `${jsonText({ schema: 1, at, ...where(manifest), ...drivenOf(view), ...workOf(work) })}\n`

const sentence = (end: BatchEnd): string => {
  switch (end._tag) {
    case "NotStarted":
      return "has not started"
    case "Left":
      return "is over: the run has gone on"
    case "Stopped":
      return "was stopped; the next step goes on with it"
    case "Unrecorded":
      return "has ended; the next step takes it in"
    case "Failed":
      return `failed: slot ${end.slots.join(", ")}; the next step runs only what failed`
    case "DriverEnded":
      return end.outcome === null
        ? "the driver is gone without a word; the next call of converge goes on"
        : `the driver ended in ${end.outcome}`
    case "Complete":
      return end.withIssues === 0
        ? `is complete: ${counted(end.size, "clean review")}`
        : `is complete: ${end.withIssues} of ${counted(end.size, "review")} with issues`
  }
}

/** The last line, and that of each batch of a driven run. */
export const endingText = (end: BatchEnd, manifest: Manifest): string => {
  const { batch, level } = where(manifest)
  if (end._tag === "DriverEnded") return `${sentence(end)}\n`
  return `${batchName({ batch, level })} ${sentence(end)}\n`
}

/** The last document, and that of each batch of a driven run. */
export const endingJson = (end: BatchEnd, manifest: Manifest, at: string, work: AgentWork = {}): string =>
  `${jsonText({ schema: 1, at, ...where(manifest), end: end._tag, text: sentence(end), ...workOf(work) })}\n`

// Tells what watching shows: rows that are redrawn, else a line or a document for each change.

/** The part of a row whose change is printed. The times are left out: they change with every look. */
const essenceIn = ({ batch_number }: Manifest) => ({ activity, level, slot, state }: Row): string =>
  `${level} ${batch_number} ${slot} ${state} ${activity}`

const linesOf = (watched: Watched): ReadonlyArray<WorkLine> => {
  const view = watched._tag === "Reviewers" ? watched.driven : undefined
  if (view === undefined) return workLines(watched)
  const { agents: _, ...tokens } = watched
  return [...drivenLines(view), ...workLines(tokens)]
}

/** Tells what is watched, one after the other: to people on what they watch, or as documents. */
export const tellWatched = Effect.fn("Watch.tellWatched")(function*(json: boolean) {
  const output = yield* Output
  const progress = yield* Progress
  const drawn = progress.on && !json
  let known: ReadonlySet<string> = new Set()

  const news = (lines: ReadonlyArray<WorkLine>, at: string) =>
    lines.filter((line) => !known.has(line.essence)).map(({ text }) => `${at}  ${text}\n`).join("")

  /** What has changed in the rows and the lines since they were told last. */
  const changes = (watched: Extract<Watched, { readonly _tag: "Reviewers" }>, at: string): string => {
    const { driven: view = null, manifest } = watched
    const lines = linesOf(watched)
    const essence = essenceIn(manifest)
    const rows = watched.rows.filter((row) => !known.has(essence(row)))
    const text = json
      ? rows.map((row) => changeJson(row, manifest, at, watched, view)).join("")
      : rows.map((row) => changeText(row, manifest, at)).join("") + news(lines, at)
    const other = json && text === "" && view !== null && drivenLines(view).some((line) => !known.has(line.essence))
      ? workJson(manifest, at, watched, view)
      : ""
    known = new Set([...watched.rows.map(essence), ...lines.map((line) => line.essence)])
    return text + other
  }

  const batchOver = (watched: Extract<Watched, { readonly _tag: "Reviewers" }>, at: string): string => {
    if (watched.over === undefined) return ""
    const { end, manifest } = watched.over
    return json ? endingJson(end, manifest, at, watched) : `${at}  ${endingText(end, manifest)}`
  }

  const told = Effect.fnUntraced(function*(watched: Watched) {
    const at = new Date(watched.at).toISOString()
    if (watched._tag === "Ended") {
      const { end, manifest } = watched
      // Documents carry the work of agents with them; for people it has lines of its own, below the rows.
      return yield* output.write(
        json ? endingJson(end, manifest, at, watched) : news(workLines(watched), at) + endingText(end, manifest)
      )
    }
    if (!drawn) return yield* output.write(changes(watched, at) + batchOver(watched, at))
    const over = batchOver(watched, at)
    if (over !== "") yield* Effect.andThen(progress.clear, output.write(over))
    yield* progress.show(watched.rows, watched.driven === undefined ? undefined : headingOf(watched.driven))
  })
  return { told }
})

// Whether a driver is at work on a watched run, where it stands, and how it ended.

const lastDriver = ({ driver }: Spent) => driver?.walked.state?.drivers.at(-1) ?? null

/** Whether a driver is at work on a run that is driven up the ladder. */
export const isDriven = (run: RunRef, spent: Spent) => isAtWork(run, lastDriver(spent))

/** How the last driver ended: in which header, or null where it was killed. */
export const driverEnd = (spent: Spent) =>
  ({ _tag: "DriverEnded", outcome: lastDriver(spent)?.outcome ?? null }) as const

/** Where a driven run stands; nothing where no driver is at work. */
export const drivenNow = Effect.fn("Watch.drivenNow")(
  function*(run: RunRef, spent: Spent, driven: boolean, now: number) {
    const view = driven ? yield* gatherView(run, spent, unknown, now) : null
    return view === null ? {} : { driven: view }
  }
)

// The reviewers of a run that another process steps, until their batch is decided, or a driven run to its end.
// It only looks: it records nothing and ends nothing.

/**
 * How the watched batch ended, or why nothing of it will change until a step is called. Of a driven run the driver's
 * end is the last one, with its header, or null where it was killed.
 */
export type BatchEnd =
  | { readonly _tag: "NotStarted" }
  | { readonly _tag: "Left" }
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Unrecorded" }
  | { readonly _tag: "Failed"; readonly slots: ReadonlyArray<number> }
  | { readonly _tag: "Complete"; readonly withIssues: number; readonly size: number }
  | { readonly _tag: "DriverEnded"; readonly outcome: string | null }

// Milliseconds between two looks at the log and at liveness; between two looks into transcripts; and how long the step
// that drives the run has to record a review that ended. After that no step is taken to drive the run.
const lookEvery = 200
const showEvery = 1000
const grace = 2000

/** What the log says of the batch that was current when the watch began, or null while it is under way. */
const endOf = (manifest: Manifest, first: Manifest): BatchEnd | null => {
  const { batch } = manifest
  if (manifest.current_level !== first.current_level || manifest.batch_number !== first.batch_number) {
    return { _tag: "Left" }
  }
  // Only the step that drives the run knows whether a failure will be tried again; it records when it will not.
  const status = assess(batch, Number.POSITIVE_INFINITY)
  switch (status._tag) {
    case "NotStarted":
      return { _tag: "NotStarted" }
    case "Running":
      return null
    case "Interrupted":
      return { _tag: "Stopped" }
    case "Failed":
      return { _tag: "Failed", slots: status.failed.map(({ slot }) => slot) }
    case "Complete":
      return { _tag: "Complete", withIssues: status.withIssues, size: batch._tag === "Started" ? batch.size : 0 }
  }
}

/** Whether every reviewer that the log says is open has ended, and nothing else is due. */
const allEnded = ({ batch }: Manifest, seen: ReadonlyArray<SeenReviewer>): boolean =>
  batch._tag === "Started" && seen.length > 0 && seen.every(({ state }) => state._tag !== "Alive") &&
  slotsOf(batch, "Queued").length === 0

/**
 * What watching shows: the reviewers as they are now; then, as the last thing, how their batch ended. In a driven run
 * `driven` is there as long as a driver is at work, and `over` tells once of each batch how it ended.
 */
export type Watched =
  & (
    | {
      readonly _tag: "Reviewers"
      readonly manifest: Manifest
      readonly rows: ReadonlyArray<Row>
      readonly driven?: LiveView
      readonly over?: { readonly end: BatchEnd; readonly manifest: Manifest }
    }
    | { readonly _tag: "Ended"; readonly manifest: Manifest; readonly end: BatchEnd }
  )
  & { readonly at: number }
  & AgentWork

/**
 * The state of watching: the run, when rows are due again, and since when all reviewers have ended without a record.
 */
interface Looking {
  readonly run: Run
  readonly isFirst: boolean
  readonly showAt: number
  readonly endedSince: number | null
  readonly spent: Spent
  /** The batch that is watched, as it was when that began, and whether its end has been told. */
  readonly first: Manifest
  readonly told: boolean
  /** Whether a driver was at work at the last look. */
  readonly driven: boolean
}

/** The batch that is watched next: in a driven run the watch goes on with the one that the run has moved on to. */
const nextBatch = (before: Looking, manifest: Manifest, told: boolean): Pick<Looking, "first" | "told"> =>
  endOf(manifest, before.first)?._tag === "Left"
    ? { first: manifest, told: false }
    : { first: before.first, told: before.told || told }

const look = Effect.fnUntraced(function*(before: Looking) {
  if (!before.isFirst) yield* Effect.sleep(lookEvery)
  const run = yield* refresh(before.run)
  const { manifest } = run
  const seen = yield* observe(run, false)
  const at = yield* Clock.currentTimeMillis
  const endedSince = allEnded(manifest, seen) ? before.endedSince ?? at : null
  const unrecorded = endedSince !== null && at - endedSince >= grace
  const batchEnd: BatchEnd | null = endOf(manifest, before.first) ?? (unrecorded ? { _tag: "Unrecorded" } : null)
  const isDue = at >= before.showAt
  const isLast = batchEnd !== null && !before.driven
  const then = isDue || isLast ? yield* spendingOf(run.ref, before.spent) : before.spent
  const driven = isDue || isLast ? yield* isDriven(run.ref, then) : before.driven
  // A driver that is gone may have told its end after its stream was read.
  const spent = before.driven && !driven ? yield* spendingOf(run.ref, then) : then
  const end = driven ? null : before.driven ? driverEnd(spent) : batchEnd
  const work = agentWork(spent, at)
  const over = driven && !before.told && batchEnd !== null && batchEnd._tag !== "Unrecorded" &&
      batchEnd._tag !== "NotStarted"
    ? { over: { end: batchEnd, manifest: before.first } }
    : {}
  const isShown = isDue || (end !== null && end._tag !== "Left")
  const shown: ReadonlyArray<Watched> = isShown || "over" in over
    ? [{
      _tag: "Reviewers",
      at,
      manifest,
      rows: yield* gatherRows(run, seen),
      ...(yield* drivenNow(run.ref, spent, driven, at)),
      ...over,
      ...work
    }]
    : []
  if (end !== null) {
    return [[...shown, { _tag: "Ended", at, manifest: before.first, end, ...work } as const], Option.none()] as const
  }
  const next: Looking = {
    run,
    isFirst: false,
    showAt: isShown ? at + showEvery : before.showAt,
    endedSince,
    spent,
    driven,
    ...nextBatch(before, manifest, "over" in over)
  }
  return [shown, Option.some(next)] as const
})

/**
 * The reviewers of a run's current batch, once a second until the batch is decided or only a step can go on with it.
 * While a driver is at work it goes on over batches and rounds until the driver has ended. To stop watching, end the
 * stream. The rows say what a reviewer does only where `Progress` is provided.
 */
export const watch = (ref: RunRef) =>
  Stream.unwrap(Effect.gen(function*() {
    const run = yield* read(ref)
    const beginning: Looking = {
      run,
      isFirst: true,
      showAt: 0,
      endedSince: null,
      spent: unspent,
      first: run.manifest,
      told: false,
      driven: false
    }
    return Stream.paginate(beginning, look)
  }))

/** Watches a run until its batch is decided, or its driver has ended, or until a signal. */
export const watchRun = Effect.fn("Watch.watchRun")(function*(ref: RunRef, json: boolean) {
  const { told } = yield* tellWatched(json)
  // Signals are heard before the first line is written: a person who has seen it can end the watch in order.
  yield* Effect.raceFirst((yield* Signals).asked, Stream.runForEach(watch(ref), told))
})

// What somebody's driver does in the run of a plan, until that driver has ended. It only looks.

// Milliseconds between two looks.
const planLookEvery = 500

/**
 * What watching the run of a plan shows: where it stands; while its code is converged, the run that does that, as
 * `watch` shows it; at last the header in which the plan's driver ended, or null if that was killed. Times in epoch
 * milliseconds.
 */
export type WatchedPlan =
  | { readonly _tag: "InPlan"; readonly at: number; readonly view: LiveView }
  | { readonly _tag: "OnLadder"; readonly at: number; readonly watched: Extract<Watched, { _tag: "Reviewers" }> }
  | { readonly _tag: "Ended"; readonly at: number; readonly outcome: string | null }

/** What a look finds; `Ladder` is a run that is watched until its driver has ended. */
type Found = WatchedPlan | { readonly _tag: "Ladder"; readonly run: RunRef }

/** How far has been looked, and the run of the ladder that was watched last. */
interface PlanLooking {
  readonly seen: DriverSeen<PlanState> | null
  readonly ladder: string | null
}

/** Whether a plan has nothing under way, so that its code may be converged. */
const isIdle = ({ place, work }: LiveView): boolean =>
  work.length === 0 && !(place._tag === "InPlan" && place.cycle?.open === true)

const lookAtPlan = (run: RunRef) =>
  Effect.fnUntraced(function*({ ladder, seen: before }: PlanLooking) {
    if (before !== null) yield* Effect.sleep(planLookEvery)
    const seen = yield* driverSeen(planRun, run, before)
    const at = yield* Clock.currentTimeMillis
    const last = seen?.walked.state?.drivers.at(-1) ?? null
    const view = yield* gatherPlanView(run, seen, unknown, at)
    const shown: ReadonlyArray<Found> = view === null ? [] : [{ _tag: "InPlan", at, view }]
    if (seen === null || last === null || !(yield* isAtWork(run, last))) {
      // A driver that is gone may have told its end after its stream was read.
      const driver = (yield* driverSeen(planRun, run, seen))?.walked.state?.drivers.at(-1)
      return [[...shown, { _tag: "Ended", at, outcome: driver?.outcome ?? null } as const], Option.none()] as const
    }
    const next = view !== null && isIdle(view) ? yield* ladderOf(run, last) : null
    return next === null || next.runId === ladder
      ? [shown, Option.some<PlanLooking>({ seen, ladder })] as const
      : [
        [...shown, { _tag: "Ladder", run: next } as const],
        Option.some<PlanLooking>({ seen, ladder: next.runId })
      ] as const
  })

const beginning: PlanLooking = { seen: null, ladder: null }

/** Watches the converging run but drops its end: the watch ends with the plan's driver. */
const onLadder = (run: RunRef) =>
  Stream.flatMap(
    watch(run),
    (watched): Stream.Stream<WatchedPlan> =>
      watched._tag === "Ended" ? Stream.empty : Stream.succeed({ _tag: "OnLadder", at: watched.at, watched })
  )

/**
 * The run of a plan, twice a second until its driver has ended; where its code is converged, that run in between. To
 * stop watching, end the stream.
 */
export const watchPlan = (run: RunRef) =>
  Stream.flatMap(
    Stream.paginate(beginning, lookAtPlan(run)),
    (found) => found._tag === "Ladder" ? onLadder(found.run) : Stream.succeed<WatchedPlan>(found)
  )

/** Watches the run of a plan until its driver has ended, or until a signal. */
export const watchPlanRun = Effect.fn("Watch.watchPlanRun")(function*(run: RunRef, json: boolean) {
  const inPlan = yield* tellPlan(run, json)
  const ladder = yield* tellWatched(json)
  const told = (one: WatchedPlan) => one._tag === "OnLadder" ? ladder.told(one.watched) : inPlan.told(one)
  yield* Effect.raceFirst((yield* Signals).asked, Stream.runForEach(watchPlan(run), told))
})
