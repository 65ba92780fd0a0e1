// Watch: a run that goes on, followed until no process works on it any more. It only looks.
import { Effect, Option, Stream } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { Output, Signals } from "../platform/Process.ts"
import { Progress, type WorkRow, workText } from "../review/Progress.ts"
import { jsonText } from "../text/Json.ts"
import { looking, type RunView } from "./Look.ts"
import type { Naming } from "./Commands.ts"
import { endPage, headPage, type Status, statusDocument, statusJson, statusOfView, totals } from "./Status.ts"
import { statusText } from "./RunStatus.ts"
import { storyOf, storyText } from "./Story.ts"

// Milliseconds between two looks; how long whoever steps the run has to go on before it counts as left; and between two
// lines about work that goes on.
const lookEvery = 500
const grace = 2000
const heartbeat = 60_000

/** Whether a review that failed may be tried again: only the step that runs knows, and it records when it does not. */
const mayRetry = ({ review }: RunView): boolean => review?.batch._tag === "Started" && review.batch.failedAt === 0

/** Whether nobody works on a run; `idle` is how long that has been so. */
const isOver = (view: RunView, idle: number): boolean => {
  const { reason, state } = view.status
  if (state === "Running" || (reason === "ReviewsFailed" && mayRetry(view))) return false
  return state !== "Interrupted" || reason === "Stopped" || reason === "Aborted" || idle >= grace
}

interface Following {
  readonly isFirst: boolean
  readonly idleSince: number | null
}

/** A run, twice a second until no process works on it any more. To stop watching, end the stream. */
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

/** A status without what changes from look to look. */
const essence = (status: Status): string =>
  jsonText({
    ...statusDocument(status),
    at: "",
    milliseconds: 0,
    work: status.view.work.map(({ activity, name, state }) => [name, state, activity])
  })

/** Follows a run and writes what happens in it: lines as it happens, or a document for each change. */
export const follow = Effect.fn("Watch.follow")(function*(run: RunRef, json: boolean, naming: Naming) {
  const output = yield* Output
  const progress = yield* Progress
  const drawn = progress.on && !json
  let status: Status | null = null
  let known = ""
  const told = new Set<string>()
  const beats = new Map<string, { readonly state: WorkRow["state"]; readonly at: number }>()

  /** The status of a look; files are read again only where the logs went on. */
  const read = Effect.fnUntraced(function*(view: RunView) {
    const same = status !== null && status.view.head.seq === view.head.seq && status.view.updated === view.updated &&
      status.view.status.reason === view.status.reason && view.ladder === null
    return same && status !== null ? { ...status, view } : yield* statusOfView(view, naming)
  })

  /** What is new of the story of a run and will not change; the line above it comes first. */
  const news = (one: Status): string => {
    const { runId } = one.view.ref
    const head = { key: "", over: true, text: headPage(one) }
    const story = storyOf(one.view, one).map((line) => ({ ...line, text: storyText(line) }))
    const fresh = [head, ...story].filter(({ key, over }) => over && !told.has(`${runId} ${key}`))
    for (const { key } of fresh) told.add(`${runId} ${key}`)
    return fresh.map(({ text }) => text).join("") + (one.ladder === null ? "" : news(one.ladder))
  }

  /** A line about each thing that is worked on: when it begins, when its state changes, and once a minute. */
  const beating = ({ at, ladder, work }: RunView): string =>
    [...work, ...ladder?.work ?? []].flatMap((row) => {
      const last = beats.get(row.name)
      if (last !== undefined && last.state === row.state && at - last.at < heartbeat) return []
      beats.set(row.name, { state: row.state, at })
      return [`  ${workText(row)}\n`]
    }).join("")

  const tell = Effect.fnUntraced(function*(view: RunView) {
    const now = yield* read(view)
    status = now
    if (json) {
      const next = essence(now)
      if (next === known) return
      known = next
      return yield* output.write(statusJson(now))
    }
    const text = news(now) + (drawn ? "" : beating(view))
    if (text !== "") yield* Effect.andThen(progress.clear, output.write(text))
    if (!drawn) return
    const lines = [statusText(view.status), totals(now)]
    yield* progress.show([], { lines: () => lines, word: "running", work: [...view.work, ...view.ladder?.work ?? []] })
  })

  const watching = Effect.gen(function*() {
    yield* Stream.runForEach(watch(run), tell)
    yield* progress.clear
    if (!json && status !== null) yield* output.write(`\n${endPage(status)}`)
  })
  // Signals are heard before the first line is written: a person who has seen it can end the watch in order.
  yield* Effect.raceFirst((yield* Signals).asked, watching)
})
