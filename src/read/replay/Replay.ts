// Replay: a run's log as a timeline, its manifest at one line, or a live tail of it.
// Only whole verified lines are shown, each once and in order. Only the present state is kept in memory.
import { Array as Arrays, Effect, Schedule, Schema, Stream } from "effect"
import { exits } from "../../platform/Failure.ts"
import type { RunRef } from "../../log/Refs.ts"
import { jsonText } from "../../text/Json.ts"
import { newerText } from "../../log/Frame.ts"
import { isLogEvent, type TaggedEvent } from "../../log/StreamKind.ts"
import { type WalkedEvent, walkStart, type WalkState, walkLog, type WalkOptions } from "../../log/Walk.ts"
import { type LevelRecord, type Manifest, recordOf } from "../../run/Manifest.ts"
import { reviewRun, type WalkedRun } from "../../run/ReviewRun.ts"
import { noUsage, plusUsage, type Usage } from "../../run/Usage.ts"
import { driverOf, spent, usedByAgents } from "../../drive/Spending.ts"
import { Output, Signals } from "../../platform/Process.ts"
import { RunStore } from "../../run/RunStore.ts"
import type { LogReader, ShownLog } from "../LogReader.ts"
import { logsOf } from "./Readers.ts"
import { type End, endJson, endText, eventJson, eventText, manifestJson, runText } from "./Timeline.ts"

/** What to show: the manifest after line `at`, or the events after line `after`, with `follow` also later ones. */
export interface ReplayOptions {
  readonly at: number | null
  readonly after: number
  readonly follow: boolean
  readonly json: boolean
}

/** The log ends before the requested line, cannot be folded up to it, or folds to no manifest. */
class NoSuchLine extends Schema.TaggedError<NoSuchLine>()("NoSuchLine", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

const noLine = (asked: number, last: number): NoSuchLine =>
  new NoSuchLine({ message: `there is no line ${asked}: the log ends at ${last}` })

/** The events of a review run's log in order, each once, with the state of the run before and after it. */
export const replay = (run: RunRef, options: WalkOptions<WalkedRun> = {}) =>
  walkLog(reviewRun, run, options).pipe(
    Stream.chunks,
    Stream.map((steps) => steps.flatMap((step) => step._tag === "Line" ? step.happenings : [])),
    Stream.filter(Arrays.isArrayNonEmpty),
    Stream.flattenArray
  )

/**
 * Shows something before the end of a log, and returns the tokens for that end. `used` are the tokens of the shown
 * events.
 */
type BeforeEnd<Err, R> = (used: Usage) => Effect.Effect<End["usage"], Err, R>

const nothing: BeforeEnd<never, never> = () => Effect.succeed(null)

/** Writes the events after line `after`, and with `follow` those that are committed later. */
export const timeline = Effect.fn("Replay.timeline")(function*<E extends TaggedEvent, S, V, Err = never, R = never>(
  reader: LogReader<E, S, V>,
  run: RunRef,
  { after, follow, json }: Omit<ReplayOptions, "at">,
  beforeEnd: BeforeEnd<Err, R> = nothing
) {
  const output = yield* Output
  const show = (happening: WalkedEvent<E, S>): string => (json ? eventJson : eventText)(reader, happening, run)
  const showEnd = json ? endJson : endText
  let used = noUsage
  yield* walkLog(reader.kind, run, { after, follow }).pipe(Stream.runForEachArray(Effect.fnUntraced(function*(steps) {
    let text = ""
    for (const step of steps) {
      if (step._tag === "Line") {
        for (const happening of step.happenings) {
          text += show(happening)
          const { event } = happening
          const more = event === null ? undefined : reader.used?.(event)
          // Few events of a million have any.
          if (more !== undefined && more !== noUsage) used = plusUsage(used, more)
        }
      } else {
        const { place: { head }, torn } = step
        if (head.seq < after) return yield* noLine(after, head.seq)
        if (follow) continue
        yield* output.write(text)
        text = showEnd({ head, torn, usage: yield* beforeEnd(used) }, reader, run)
      }
    }
    yield* output.write(text)
  })))
})

/** The log of the run's driver, if there is one, and then both sums of tokens. */
const driven = (driver: ShownLog, run: RunRef, options: ReplayOptions) => (reviews: Usage) =>
  driver((reader) => timeline(reader, run, options)).pipe(
    Effect.catchTag("LogMissing", () => Effect.void),
    Effect.andThen(driverOf(run)),
    Effect.map((place) => spent({ reviews, agents: usedByAgents(place) }))
  )

/** The log of the run's driver as it grows, from its beginning. */
const following = (driver: ShownLog, run: RunRef, options: ReplayOptions) =>
  driver((reader) => timeline(reader, run, options)).pipe(
    Effect.retry({ while: ({ _tag }) => _tag === "LogMissing", schedule: Schedule.spaced("200 millis") })
  )

/** The manifest after a line. Only this keeps the whole history in memory, because it shows all of it. */
const manifestAt = Effect.fnUntraced(function*(run: RunRef, at: number) {
  const level_history: Array<LevelRecord> = []
  const { after, seq } = yield* walkLog(reviewRun, run, { until: at }).pipe(
    Stream.runFold(
      (): { readonly seq: number; readonly after: WalkState<WalkedRun> } => ({ seq: 0, after: walkStart }),
      (last, step) => {
        if (step._tag === "End") return last
        for (const { event } of step.happenings) {
          const record = event === null || isLogEvent(event) ? null : recordOf(event, step.line.at)
          if (record !== null) level_history.push(record)
        }
        return { seq: step.line.seq, after: step.after }
      }
    )
  )
  if (after.unknown !== null) {
    return yield* new NoSuchLine({ message: `${newerText(after.unknown)}: needs a newer version` })
  }
  if (seq < at || after.state === null) return yield* noLine(at, seq)
  return { ...after.state.run, level_history } satisfies Manifest
})

/** Writes a replay of a run. With `follow` it ends with the first signal. */
export const replayRun = Effect.fn("Replay.replayRun")(function*(run: RunRef, options: ReplayOptions) {
  const { after, at, follow, json } = options
  const output = yield* Output
  const { driver: driversLog, hasManifest, own } = logsOf(run)
  if (at !== null && !hasManifest) {
    return yield* new NoSuchLine({ message: "the run of a plan has no manifest [leave out --at]" })
  }
  if (at !== null) {
    const manifest = yield* manifestAt(run, at)
    return yield* output.write(json ? manifestJson(manifest, at, run) : `${jsonText(manifest, 2)}\n`)
  }
  if (!json) yield* output.write(runText(run.runId, (yield* RunStore).runPlaces(run).directory))
  // A caller that continues after a line of the run's log has seen the rest.
  const driver = after > 0 ? null : driversLog
  const alone = own((reader) => timeline(reader, run, options))
  if (!follow) {
    return yield* driver === null
      ? alone
      : own((reader) => timeline(reader, run, options, driven(driver, run, options)))
  }
  const beside = driver === null ? Effect.void : following(driver, run, options)
  const all = Effect.all([alone, beside], { concurrency: "unbounded", discard: true })
  yield* Effect.raceFirst(all, Effect.asVoid((yield* Signals).asked))
})
