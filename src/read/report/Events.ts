// Events: the logs of a run as in `replay`, bounded, and the output of agents and tests beside them.
import { Effect, Stream } from "effect"
import { Snapshots } from "../../code/Snapshots.ts"
import type { DrivenState } from "../../drive/State.ts"
import { Tests } from "../../drive/Tests.ts"
import type { RunRef } from "../../log/Refs.ts"
import type { TaggedEvent } from "../../log/StreamKind.ts"
import { walkLog } from "../../log/Walk.ts"
import { recovered } from "../../platform/Note.ts"
import { RunStore } from "../../run/RunStore.ts"
import { Progress } from "../../review/Progress.ts"
import { jsonText } from "../../text/Json.ts"
import { size } from "../../text/Phrases.ts"
import { redact } from "../../text/redaction/Redaction.ts"
import type { LogReader } from "../LogReader.ts"
import { eventText, rawText } from "../replay/Timeline.ts"
import { quoted } from "../replay/words.ts"
import { type Excerpt, excerpt } from "../Excerpt.ts"
import { logsOf } from "../replay/Readers.ts"
import type { RunFacts } from "../RunView.ts"
import type { DiffPart, LogPart } from "./ReportData.ts"

// The most events that are shown from the beginning of a log, and from its end.
const bounds = { first: 200, last: 800 } as const

const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : []

/** A line of a replay in which no text was cut through a secret: half a secret is no longer recognised. */
const withoutHalves = (line: string, raw: unknown): string => {
  let safe = line
  const without = (text: string, written: (text: string) => string) => {
    if (redact(text) !== text) safe = safe.replaceAll(written(text), () => written(redact(text)))
  }
  for (const text of textsIn(raw)) without(text, quoted)
  without(jsonText(raw), rawText)
  return safe
}

/** Reads a log to its end. */
export const readEvents = Effect.fn("Events.readEvents")(
  function*<E extends TaggedEvent, S, V>(reader: LogReader<E, S, V>, run: RunRef) {
    const first: Array<string> = []
    let last: Array<string> = []
    let count = 0
    yield* walkLog(reader.kind, run).pipe(Stream.runForEachArray((steps) =>
      Effect.sync(() => {
        for (const step of steps) {
          for (const happening of step._tag === "Line" ? step.happenings : []) {
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

/** The logs of a run. */
export const readLogs = Effect.fnUntraced(function*({ drive, ref }: RunFacts) {
  const { driver, own } = logsOf(ref)
  const first = yield* own((reader) => readEvents(reader, ref))
  return driver === null || drive === null ? [first] : [first, yield* driver((reader) => readEvents(reader, ref))]
})

// The output of a driver's work beside its log: the ends of the tests' output, and the agents' diffs.
// Nothing here fails: the report says what cannot be read.

// The most that is read of both, the last ones first: the page must open quickly.
const artifactBounds = { tests: 300, diffs: 60, diff: 48 * 1024 } as const

/** The ends of the last tests' output, by the tests' numbers. */
export const printedByTests = Effect.fn("Events.printedByTests")(function*(run: RunRef, { tests }: DrivenState) {
  const { printed } = yield* Progress
  const { place } = yield* Tests
  const all = yield* Effect.forEach(
    tests.slice(-artifactBounds.tests),
    ({ standing, started: { id, test } }) =>
      Effect.map(printed({ run, test, id }), ({ end }) => {
        const bytes = standing._tag === "Finished" ? standing.finished.output.bytes : 0
        const rest = `the whole output is in ${place(run, test)}`
        if (bytes <= new TextEncoder().encode(end).length) return [test, excerpt(end.trimEnd(), rest)] as const
        // The first line may begin within a secret, whose rest is not recognised.
        const { text } = excerpt(end.slice(end.search(/[\n ]/) + 1).trimEnd(), rest)
        return [test, { text, rest: `${rest} (${size(bytes)})` }] as const
      })
  )
  return new Map<number, Excerpt>(all.filter(([, { text }]) => text !== ""))
})

/** The diffs of the last agents with snapshots around them, by the agents' numbers. */
export const changedByAgents = Effect.fn("Events.changedByAgents")(
  function*(run: RunRef, { agents: { snapshots } }: DrivenState) {
    const { diff } = yield* Snapshots
    const repository = `${(yield* RunStore).runPlaces(run).directory}/code`
    const wholeOf = (first: string, last: string) =>
      `\`git --git-dir=${repository} diff ${first.slice(0, 12)} ${last.slice(0, 12)}\` shows all of it`
    const byAgent = new Map<number, ReadonlyArray<typeof snapshots[number]>>()
    for (const one of snapshots) byAgent.set(one.agent, [...byAgent.get(one.agent) ?? [], one])
    const pairs = [...byAgent].flatMap(([agent, own]) => {
      const [first, last] = [own[0], own.at(-1)]
      return first === undefined || last === undefined || first === last ? [] : [{ agent, first, last }]
    })
    const shown = yield* Effect.forEach(pairs.slice(-artifactBounds.diffs), ({ agent, first, last }) => {
      const title = `Snapshot ${first.snapshot} to ${last.snapshot}`
      const whole = wholeOf(first.commit, last.commit)
      return diff(run, { before: first.snapshot, after: last.snapshot }, artifactBounds.diff).pipe(
        Effect.map(({ files, text, whole: all }): DiffPart => {
          const shown = excerpt(text.trimEnd(), whole, artifactBounds.diff)
          return { title, files, text: all ? shown : { ...shown, rest: whole }, problem: null }
        }),
        Effect.catch((error) =>
          Effect.as(recovered("a diff is left out of the report")(error), {
            title,
            files: [],
            text: { text: "", rest: null },
            problem: error.message
          })
        ),
        Effect.map((part) => [agent, part] as const)
      )
    })
    const left = pairs.slice(0, -artifactBounds.diffs).map(({ agent, first, last }) =>
      [agent, {
        title: `Snapshot ${first.snapshot} to ${last.snapshot}`,
        files: [],
        text: { text: "", rest: null },
        problem: `left out here; ${wholeOf(first.commit, last.commit)}`
      }] as const
    )
    return new Map<number, DiffPart>([...left, ...shown])
  }
)
