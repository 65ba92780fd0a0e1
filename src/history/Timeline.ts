// Timeline: one event of a replay, as text for people and as one JSON document a line for programs.
// The one rule: an event that this version does not know is shown as it stands in the log.
import type { Head } from "../core/log/Head.ts"
import { eventName } from "../core/log/Line.ts"
import { shortened } from "../core/text/Untrusted.ts"
import { isLogEvent, type Logged } from "../core/log/LogEvent.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { Happening } from "../core/log/Walk.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { counted } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import { type Spending, spendingText } from "../runs/Spending.ts"
import type { Change, LogReader } from "./LogReader.ts"

const sameLine = " ".repeat(34)
const below = " ".repeat(8)
// Names are padded out of one text: `padEnd` takes a hundredth of the replay of a million events.
const behindName = " ".repeat(22)
const longest = 2000

/** What stands in the log of an event that this version does not know. */
export const rawText = (json: string): string => oneLine(shortened(json, longest))

const told = <E extends Tagged, S, V>({ describe }: LogReader<E, S, V>, event: Logged<E>): string =>
  isLogEvent(event)
    ? `${counted(event.bytes, "torn byte")} at byte ${event.offset} cut, kept in ${oneLine(event.kept)}`
    : describe(event)

const unknownText = <E extends Tagged, S, V>(
  { stateName }: LogReader<E, S, V>,
  { after, raw }: Happening<E, S>
): string => {
  const known = after.unknown === null ? "" : `; the ${stateName} after it is not known to this version`
  return `unknown to this version${known}: ${rawText(jsonText(raw))}`
}

const changeText = <V>(valueText: (value: V) => string, { after, before, field }: Change<V>): string =>
  `${field} ${valueText(before)} -> ${valueText(after)}`

/** An event in one line, after the number and the time of its line, and below it what the event changed. */
export const eventText = <E extends Tagged, S, V>(reader: LogReader<E, S, V>, happening: Happening<E, S>): string => {
  const { event, index, line: { at, seq }, raw } = happening
  const place = index === 0 ? `${`${reader.mark ?? ""}${seq}`.padStart(6)}  ${oneLine(at)}  ` : sameLine
  const what = event === null
    ? `${oneLine(eventName(raw))}  ${unknownText(reader, happening)}`
    : `${event._tag}${behindName.slice(Math.min(20, event._tag.length))}${told(reader, event)}`
  let text = `${place}${what}\n`
  let before = below
  for (const change of reader.changes(happening)) {
    text += before + changeText(reader.valueText, change)
    before = "; "
  }
  return before === below ? text : `${text}\n`
}

/** Which log it is, as a field of its documents; the run's own needs no name. */
const streamOf = ({ kind, mark }: Shown): { readonly stream?: string } =>
  mark === undefined ? {} : { stream: kind.kind }

/** An event as a JSON document of one line. */
export const eventJson = <E extends Tagged, S, V>(reader: LogReader<E, S, V>, happening: Happening<E, S>): string => {
  const { event, index, line: { at, seq }, raw } = happening
  const changes = reader.changes(happening)
  return `${jsonText({ ...streamOf(reader), seq, index, at, known: event !== null, event: raw, changes })}\n`
}

/** The first line of a replay. */
export const runText = (runId: string, directory: string): string => `   run  ${oneLine(`${runId} in ${directory}`)}\n`

/** The end of a replay. That of the run's own log tells the tokens of the run, where some are known. */
export interface End {
  readonly head: Head
  readonly torn: number
  readonly usage?: Spending
}

type Shown = Pick<LogReader<Tagged, unknown, unknown>, "mark"> & { readonly kind: { readonly kind: string } }

/** The last lines of a log: the head that `--expect-head` takes, a torn tail that no line tells of yet, the tokens. */
export const endText = ({ head, torn, usage }: End, { mark = "" }: Pick<Shown, "mark"> = {}): string =>
  `${`${mark}head`.padStart(6)}  ${head.seq}:${head.hash}\n` +
  (torn === 0 ? "" : `  torn  ${counted(torn, "byte")} after it were never committed; the next writer removes them\n`) +
  (usage === undefined ? "" : `tokens  ${spendingText(usage)}\n`)

/** The same as a JSON document of one line. */
export const endJson = (end: End, reader?: Shown): string =>
  `${jsonText({ ...(reader === undefined ? {} : streamOf(reader)), ...end })}\n`
