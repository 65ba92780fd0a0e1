// Events: the logs of a run as `replay` tells them, bounded, and when the work that they tell of began and ended.
import { Effect, Stream } from "effect"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { Happening } from "../core/log/Walk.ts"
import type { LogPart } from "../core/report/ReportData.ts"
import type { Times } from "../core/report/WorkParts.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { redact } from "../core/text/redaction/Redact.ts"
import type { LogReader } from "../history/LogReader.ts"
import { quoted } from "../history/Describe.ts"
import { eventText, rawText } from "../history/Timeline.ts"
import { walkLog } from "../runs/WalkLog.ts"

// The most events that are shown from the beginning of a log, and from its end.
const bounds = { first: 200, last: 800 } as const

const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : []

/** A line of a replay in which no text was cut through a secret: nobody would know the half that is left. */
const withoutHalves = (line: string, raw: unknown): string => {
  let safe = line
  const without = (text: string, told: (text: string) => string) => {
    if (redact(text) !== text) safe = safe.replaceAll(told(text), () => told(redact(text)))
  }
  for (const text of textsIn(raw)) without(text, quoted)
  without(jsonText(raw), rawText)
  return safe
}

/** Reads a log to its end; `seen` is told of each event. */
export const readEvents = Effect.fn("Events.readEvents")(
  function*<E extends Tagged, S, V>(
    reader: LogReader<E, S, V>,
    run: RunRef,
    seen: (happening: Happening<E, S>) => void = () => {}
  ) {
    const first: Array<string> = []
    let last: Array<string> = []
    let count = 0
    yield* walkLog(reader.kind, run).pipe(Stream.runForEachArray((steps) =>
      Effect.sync(() => {
        for (const step of steps) {
          for (const happening of step._tag === "Line" ? step.happenings : []) {
            seen(happening)
            const text = withoutHalves(eventText(reader, happening).trimEnd(), happening.raw)
            count += 1
            if (first.length < bounds.first) first.push(text)
            else last.push(text)
          }
        }
        if (last.length > 2 * bounds.last) last = last.slice(-bounds.last)
      })
    ))
    const end = last.slice(-bounds.last)
    return {
      name: reader.kind.kind,
      count,
      first,
      left: count - first.length - end.length,
      last: end
    } satisfies LogPart
  }
)

/** When agents and tests began and ended, as the events of a driver's log come by. */
export const timesSeen = () => {
  const [agents, tests] = [new Map<number, Times>(), new Map<number, Times>()]
  const note = (times: Map<number, Times>, number: unknown, at: number, begins: boolean) => {
    if (typeof number !== "number") return
    const from = times.get(number)?.from ?? null
    times.set(number, begins ? { from: from ?? at, to: null } : { from, to: at })
  }
  const seen = ({ event, line }: Happening<Tagged, unknown>): void => {
    const at = Date.parse(line.at)
    if (event === null) return
    if ("agent" in event && /^Agent(Started|Finished|Failed|Stopped)$/.test(event._tag)) {
      note(agents, event.agent, at, event._tag === "AgentStarted")
    }
    if ("test" in event) note(tests, event.test, at, event._tag === "TestStarted")
  }
  return { agents, tests, seen }
}
