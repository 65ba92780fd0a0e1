// Replay: a run's log as a timeline, its manifest at one line, or a live tail of it.
// The one rule: only whole verified lines are shown, each once and in order, and nothing is held but the present state.
import { Effect, Schema, Stream } from "effect"
import { jsonText } from "../core/text/JsonText.ts"
import type { Head } from "../core/run/Event.ts"
import { beginning } from "../core/log/Line.ts"
import { newerText } from "../core/log/LineProblem.ts"
import { runDir } from "../core/run/Paths.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { type LevelRecord, type Manifest, recordOf } from "../core/run/Manifest.ts"
import { EventLog } from "../services/EventLog.ts"
import { Output } from "../services/Output.ts"
import { Signals } from "../services/Signals.ts"
import { endJson, endText, eventJson, eventText, runText } from "./Timeline.ts"
import { type Happening, unwalked, walkLine } from "./Walk.ts"

/** What is shown: the manifest after line `at`, or else the events behind line `after`, and on with what comes. */
export interface ReplayOptions {
  readonly at: number | null
  readonly after: number
  readonly follow: boolean
  readonly json: boolean
}

/** The log ends before the line that was asked for, or cannot be folded up to it. */
export class NoSuchLine extends Schema.TaggedError<NoSuchLine>()("NoSuchLine", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

// A person sees a line soon enough, and an idle log costs two small reads a look.
const lookEvery = 200

const noLine = (seq: number, last: number): NoSuchLine =>
  new NoSuchLine({ reason: `there is no line ${seq}: the log ends at ${last}` })

const unseen = (): void => {}

/**
 * Replays the log from behind the line `after`, and goes on with what is committed for as long as `follow` says. What
 * is not shown is walked all the same: the manifest before the first event that is shown follows from it.
 */
const timeline = Effect.fnUntraced(function*(run: RunRef, { after, follow, json }: ReplayOptions) {
  const log = yield* EventLog
  const output = yield* Output
  const show = json ? eventJson : eventText
  let walked = unwalked
  let head: Head = beginning
  const pass = () =>
    log.stream(run, head).pipe(Stream.runForEach(Effect.fnUntraced(function*(part) {
      let text = ""
      const each = (happening: Happening): void => {
        text += show(happening)
      }
      for (const line of part.lines) walked = walkLine(walked, line, line.seq > after ? each : unseen)
      head = part.head
      if (part.end !== null && head.seq < after) return yield* noLine(after, head.seq)
      const end = part.end === null || follow ? "" : (json ? endJson : endText)({ head, torn: part.end.torn })
      yield* output.write(text + end)
    })))
  yield* pass()
  while (follow) {
    yield* Effect.sleep(lookEvery)
    yield* pass()
  }
})

/** The manifest after a line. Only here the whole history is held, since it is what is shown. */
const manifestAt = Effect.fnUntraced(function*(run: RunRef, at: number) {
  const log = yield* EventLog
  let walked = unwalked
  let last = 0
  const level_history: Array<LevelRecord> = []
  yield* log.stream(run, beginning).pipe(
    Stream.takeUntil((part) => part.head.seq >= at),
    Stream.runForEach(({ lines }) =>
      Effect.sync(() => {
        for (const line of lines) {
          if (line.seq > at) break
          last = line.seq
          walked = walkLine(walked, line, ({ event }) => {
            const record = event === null ? null : recordOf(event, line.at)
            if (record !== null) level_history.push(record)
          })
        }
      })
    )
  )
  const { state, unknown } = walked
  if (unknown !== null) return yield* new NoSuchLine({ reason: `${newerText(unknown)}: needs a newer version` })
  if (last < at || state === null) return yield* noLine(at, last)
  return { ...state, level_history } satisfies Manifest
})

/** Writes a replay of a run. With `follow` it ends with the first signal. */
export const replayRun = Effect.fn("Replay.replayRun")(function*(run: RunRef, options: ReplayOptions) {
  const { at, follow, json } = options
  const output = yield* Output
  if (at !== null) {
    const manifest = yield* manifestAt(run, at)
    return yield* output.write(`${json ? jsonText(manifest) : jsonText(manifest, 2)}\n`)
  }
  if (!json) yield* output.write(runText(run.runId, runDir(run)))
  const shown = timeline(run, options)
  yield* follow ? Effect.raceFirst(shown, Effect.asVoid((yield* Signals).asked)) : shown
})
