// Watch: follows a run until no process works on it any more. It only reads.
import { Clock, Effect, Fiber, Option, Ref, Stream } from "effect"
import { type Limits, unlimited } from "../drive/Budgets.ts"
import type { RunRef } from "../log/Refs.ts"
import { Output, Signals } from "../platform/Process.ts"
import { Progress, silent, type WorkRow, workText } from "../review/Progress.ts"
import { jsonText } from "../text/Json.ts"
import { looking, type RunView } from "./Look.ts"
import { type Naming, unnamed } from "../run/Naming.ts"
import { endPage, headPage, type Status, statusDocument, statusJson, statusOfView, totals } from "./Status.ts"
import { statusText } from "./RunStatus.ts"
import { storyOf, type StoryLine, storyText } from "./Story.ts"
import { laidOut, type Page, plainPage, type Tone } from "../text/Paint.ts"

// Milliseconds between two looks; how long whoever steps the run has to go on before it counts as left; between two
// lines about work that goes on; and before the first line about work that is not over at once.
const lookEvery = 500
const grace = 2000
const heartbeat = 60_000
const firstBeat = 5000

// States whose beginning is not worth a line.
const ordinary: ReadonlySet<WorkRow["state"]> = new Set(["queued", "running", "ended", "clean", "issues"])

/** Whether a failed review may be tried again: only the running step knows, and records it if not. */
const mayRetry = ({ review }: RunView): boolean => review?.batch._tag === "Started" && review.batch.failedAt === 0

/** Whether work on a run is over; `idle` is how long no process has worked on it. */
const isOver = (view: RunView, idle: number): boolean => {
  const { reason, state } = view.status
  if (state === "Running" || (reason === "ReviewsFailed" && mayRetry(view))) return false
  return state !== "Interrupted" || reason === "Stopped" || reason === "Aborted" || idle >= grace
}

interface Following {
  readonly isFirst: boolean
  readonly idleSince: number | null
}

/** A run, twice a second until no process works on it. To stop watching, end the stream. */
export const watch = (run: RunRef) =>
  Stream.suspend(() => {
    const next = looking(run)
    return Stream.paginate<Following, RunView, never, Effect.Services<typeof next>>(
      { isFirst: true, idleSince: null },
      Effect.fnUntraced(function*({ idleSince, isFirst }) {
        if (!isFirst) yield* Effect.sleep(lookEvery)
        const view = yield* next
        const since = view.status.state === "Running" ? null : idleSince ?? view.at
        const over = isOver(view, since === null ? 0 : view.at - since)
        return [[view], over ? Option.none() : Option.some({ isFirst: false, idleSince: since })] as const
      })
    )
  })

/** The output of a story: scrolling lines, and below them the present work, if `Progress` can draw. */
interface Narration<E> {
  readonly write: (text: string, tone: Tone) => Effect.Effect<void, E>
  /** Whether work gets a line as soon as it begins, and not only once it has gone on for a while. */
  readonly begins: boolean
  readonly limits: Limits
  /** Everything that was over before this time (epoch milliseconds) is already known. */
  readonly since: number
}

/** The status of each look; files are read again only if the logs have grown. */
const reading = (naming: Naming) => {
  let last: Status | null = null
  return Effect.fnUntraced(function*(view: RunView) {
    const { head, status, updated } = last?.view ?? { head: null, status: null, updated: null }
    const same = head?.seq === view.head.seq && updated === view.updated && status?.reason === view.status.reason &&
      view.ladder === null
    last = last !== null && same ? { ...last, view } : yield* statusOfView(view, naming)
    return last
  })
}

/** Writes what is new of a run, look by look. A line is written once it will not change. */
const narrating = Effect.fnUntraced(function*<E>({ begins, limits, since, write }: Narration<E>, naming: Naming) {
  const progress = yield* Progress
  const known = new Set<string>()
  const beats = new Map<string, { readonly state: WorkRow["state"]; readonly at: number }>()
  const read = reading(naming)

  const news = (one: Status): ReadonlyArray<StoryLine> => {
    const { runId } = one.view.ref
    const fresh = storyOf(one.view, one).filter(({ at, key, over }) => over && at >= since && !known.has(runId + key))
    for (const { key } of fresh) known.add(runId + key)
    return [...fresh, ...one.ladder === null ? [] : news(one.ladder)]
  }

  /** A line about each unit of work: when its state changes, and once a minute. */
  const beating = ({ at, ladder, work }: RunView): ReadonlyArray<string> =>
    [...work, ...ladder?.work ?? []].flatMap((row) => {
      const last = beats.get(row.name)
      if (last !== undefined && last.state === row.state && at - last.at < heartbeat) return []
      const isSaid = begins || last !== undefined || !ordinary.has(row.state)
      beats.set(row.name, { state: row.state, at: isSaid ? at : at - heartbeat + firstBeat })
      return isSaid ? [`${workText(row)}\n`] : []
    })

  return Effect.fnUntraced(function*(view: RunView) {
    const now = yield* read(view)
    const fresh = news(now)
    const rows = progress.on ? [] : beating(view)
    if (fresh.length + rows.length > 0) yield* progress.clear
    for (const one of fresh) yield* write(storyText(one), one.tone)
    for (const row of rows) yield* write(row, "neutral")
    if (progress.on) {
      const work = [...view.work, ...view.ladder?.work ?? []]
      yield* progress.show(work, [statusText(view.status), totals(now, limits)])
    }
    return now
  })
})

/** The parts of a status that do not change from look to look. */
const essence = (status: Status): string =>
  jsonText({
    ...statusDocument(status),
    at: "",
    milliseconds: 0,
    work: status.view.work.map(({ activity, name, state }) => [name, state, activity])
  })

const documents = Effect.fnUntraced(function*(run: RunRef, naming: Naming) {
  const output = yield* Output
  const read = reading(naming)
  let known = ""
  yield* Stream.runForEach(
    watch(run),
    Effect.fnUntraced(function*(view) {
      const status = yield* read(view)
      const next = essence(status)
      if (next !== known) yield* output.write(statusJson(status))
      known = next
    })
  )
})

const lines = Effect.fnUntraced(function*(run: RunRef, naming: Naming, page: Page) {
  const output = yield* Output
  const { clear } = yield* Progress
  const write = (text: string, tone: Tone) => output.write(laidOut(text, tone, page))
  const narrate = yield* narrating({ write, begins: true, limits: unlimited, since: 0 }, naming)
  const last = yield* Ref.make<Status | null>(null)
  yield* Stream.runForEach(
    watch(run),
    Effect.fnUntraced(function*(view) {
      if ((yield* Ref.get(last)) === null) yield* output.write(`${headPage(view, page)}\n`)
      yield* Ref.set(last, yield* narrate(view))
    })
  )
  yield* clear
  const status = yield* Ref.get(last)
  if (status !== null) yield* output.write(`\n${endPage(status, page)}`)
})

/** Follows a run and writes what happens in it: lines as it happens, or a document for each change. */
export const follow = Effect.fn("Watch.follow")(function*(
  run: RunRef,
  json: boolean,
  naming: Naming,
  page: Page = plainPage
) {
  // Signals are heard before the first line is written: a person who has seen it can end the watch in order.
  yield* Effect.raceFirst((yield* Signals).asked, json ? documents(run, naming) : lines(run, naming, page))
})

/**
 * Writes the story of the runs that some work drives, while it goes on: the work calls its argument with each run that
 * it begins to drive. `opening` comes before the first. Returns what the work comes to, and how the last of these runs
 * is then; null without a run.
 */
export const narrateWhile = Effect.fn("Watch.narrateWhile")(
  function*<A, E, R, R2>(
    { limits, stateRoot, write }: Pick<Narration<never>, "limits" | "write"> & Pick<Naming, "stateRoot">,
    opening: Effect.Effect<string, never, R2>,
    work: (onRun: (run: RunRef) => Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) {
    const began = yield* Clock.currentTimeMillis
    const narrate = yield* narrating({ write, begins: false, limits, since: began }, { ...unnamed, stateRoot })
    const current = yield* Ref.make<ReturnType<typeof looking> | null>(null)
    const once = Effect.gen(function*() {
      const look = yield* Ref.get(current)
      return look === null ? null : yield* narrate(yield* look)
    })
    const { clear } = yield* Progress
    const context = yield* Effect.context<R2 | Effect.Services<typeof once>>()
    const onRun = (run: RunRef) =>
      Effect.gen(function*() {
        if ((yield* Ref.get(current)) === null) yield* write(yield* opening, "neutral")
        yield* once
        yield* Ref.set(current, looking(run))
      }).pipe(Effect.provide(context))
    const narrator = yield* Effect.forkChild(
      Effect.forever(Effect.andThen(Effect.uninterruptible(once), Effect.sleep(lookEvery)))
    )
    // The driver's own steps show nothing: their work is in their logs.
    const result = yield* Effect.provideService(work(onRun), Progress, silent)
    yield* Fiber.interrupt(narrator)
    const status = yield* once
    yield* clear
    return { result, status }
  }
)
