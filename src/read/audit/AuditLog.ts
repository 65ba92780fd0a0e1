// AuditLog: the audit of a log of any kind: its bytes, its head, its repairs, an expected head.
// It only reads, takes no lock, and reports what it could not check.
import { Effect, Ref, Stream } from "effect"
import { beginning, type Head, isLogEvent, type TaggedEvent } from "../../log/StreamKind.ts"
import { walkStart, type WalkedLine, type WalkEnd, walkLog, type WalkPlace, type WalkStep } from "../../log/Walk.ts"
import type { RunRef } from "../../log/Refs.ts"
import { counted } from "../../text/Phrases.ts"
import { LogDamaged, LogRewound, LogTooNew } from "../../log/EventLog.ts"
import { RunStore } from "../../run/RunStore.ts"
import { type Found, found, type LogAuditor, type LogFindingKind, type Noted, noted } from "../LogReader.ts"
import { keptFinding } from "./Recheck.ts"

/** The findings and notes of the audit of any log. */
export type LogWord = Found<LogFindingKind> | Noted

/** The options of an audit: which head the log must contain, and whether the files beside it are skipped. */
export interface LogAuditOptions {
  readonly expectHead: Head | null
  readonly logOnly: boolean
}

/** The state of an audit: its last line, its counts, and the knowledge of this kind's auditor. */
export interface LogAudited<S, K> {
  readonly place: WalkPlace<S>
  readonly end: Pick<WalkEnd<S>, "torn" | "anchored"> | null
  readonly lines: number
  readonly events: number
  readonly findings: number
  /** The latest time of a line so far, in its text form. */
  readonly latest: string
  readonly known: K
}

const nothingSeen = <E extends TaggedEvent, S, K, W, Err, R>(
  { begin }: LogAuditor<E, S, K, W, Err, R>
): LogAudited<S, K> => ({
  place: { head: beginning, walked: walkStart },
  end: null,
  lines: 0,
  events: 0,
  findings: 0,
  latest: "",
  known: begin
})

const lineWords = <E, S>({ line }: WalkedLine<E, S>, expected: Head | null): ReadonlyArray<LogWord> => [
  ...(line.events.length > 0 ? [] : [found("fact", line.seq, "the line holds no event")]),
  ...(line.seq !== expected?.seq || line.hash === expected.hash
    ? []
    : [found("head", line.seq, `the line has the hash ${line.hash}, not the expected one`)])
]

// Clocks are corrected by minutes, rarely by hours: a line that is a day older than an earlier one is suspicious.
const believable = 24 * 3600 * 1000
const older = "it is more than a day older than a line before it"

/** The finding about a line's time, and the latest time. */
const timesOf = <E, S>(lines: ReadonlyArray<WalkedLine<E, S>>, before: string) => {
  let latest = before
  const words: Array<LogWord> = []
  for (const { line: { at, seq } } of lines) {
    // Times of one form sort as texts. Parsing each would be a good part of an audit.
    if (at >= latest) latest = at
    else if (Date.parse(latest) - Date.parse(at) > believable) words.push(found("time", seq, older))
  }
  return { words, latest }
}

/** Checks the files that repairs of torn tails name. */
const repairWords = Effect.fnUntraced(function*<E extends TaggedEvent, S>(
  run: RunRef,
  lines: ReadonlyArray<WalkedLine<E, S>>
) {
  const words: Array<LogWord> = []
  for (const { happenings, line } of lines) {
    for (const { before, event } of happenings) {
      if (event === null || before.unknown !== null || !isLogEvent(event)) continue
      const { bytes, kept: file } = event
      const hex = file.slice(file.lastIndexOf("-") + 1)
      const problem = yield* keptFinding(run, { kept: "torn", file, hex, bytes })
      if (problem !== null) words.push(found("torn", line.seq, problem))
    }
  }
  return words
})

const damageWord = (error: LogDamaged | LogRewound, head: Head): LogWord =>
  error._tag === "LogDamaged"
    ? found("damage", error.line, `${error.kind}, at byte ${error.offset}; nothing after it was checked`)
    : found("rewound", head.seq, `the log was ${error.kind} against its head anchor`)

const endWords = <S, K>({ end, place: { head: { seq } } }: LogAudited<S, K>): ReadonlyArray<LogWord> => {
  if (end === null) return []
  const torn = `${counted(end.torn, "byte")} after the last line were never committed; the next writer removes them`
  const bare = "head.json is missing: lines cut from the end of the log would not be noticed"
  return [
    ...(end.torn === 0 ? [] : [noted(seq, torn)]),
    ...(end.anchored || seq === 0 ? [] : [noted(seq, bare)]),
    ...(seq > 0 ? [] : [noted(0, "the log has no line: the run was never begun")])
  ]
}

const headWords = ({ seq }: Head, expected: Head | null): ReadonlyArray<LogWord> =>
  expected === null || seq >= expected.seq
    ? []
    : [found("head", seq, `the log ends at line ${seq}, before the expected line ${expected.seq}`)]

const linesOf = <E, S>(steps: ReadonlyArray<WalkStep<E, S>>): ReadonlyArray<WalkedLine<E, S>> =>
  steps.filter((step) => step._tag === "Line")

/** The state after further steps of the walk. */
const seenAfter = <E, S, K>(
  before: LogAudited<S, K>,
  steps: ReadonlyArray<WalkStep<E, S>>,
  lines: ReadonlyArray<WalkedLine<E, S>>,
  known: K
): LogAudited<S, K> => {
  const [line, last] = [lines.at(-1), steps.at(-1)]
  const events = lines.reduce((sum, { happenings }) => sum + happenings.length, before.events)
  const all = { ...before, lines: before.lines + lines.length, events, known }
  if (last?._tag === "End") return { ...all, place: last.place, end: { torn: last.torn, anchored: last.anchored } }
  if (line === undefined) return all
  return { ...all, place: { head: { seq: line.line.seq, hash: line.line.hash }, walked: line.after } }
}

const isDamage = (error: unknown): error is LogDamaged | LogRewound =>
  error instanceof LogDamaged || error instanceof LogRewound

/**
 * Audits the log of one kind and passes on each finding and note at once. Fails if the log cannot be read at all, and
 * at the first line that only a newer version knows, after the findings before it.
 */
export const auditLog = Effect.fn("AuditLog.auditLog")(
  function*<E extends TaggedEvent, S, K, W extends TaggedEvent, Err, R, Out>(
    auditor: LogAuditor<E, S, K, W, Err, R>,
    run: RunRef,
    { expectHead, logOnly }: LogAuditOptions,
    say: (words: ReadonlyArray<NoInfer<W> | LogWord>) => Effect.Effect<void, Out>
  ) {
    const { runPlaces } = yield* RunStore
    const seen = yield* Ref.make(nothingSeen(auditor))

    const report = Effect.fnUntraced(function*(words: ReadonlyArray<W | LogWord>) {
      const findings = words.filter(({ _tag }) => _tag === "Found").length
      yield* Ref.update(seen, (all) => ({ ...all, findings: all.findings + findings }))
      if (words.length > 0) yield* say(words)
    })

    const take = Effect.fnUntraced(function*(steps: ReadonlyArray<WalkStep<E, S>>) {
      const lines = linesOf(steps)
      const before = yield* Ref.get(seen)
      const { known, words } = yield* auditor.examine(before.known, lines)
      const times = timesOf(lines, before.latest)
      const after = { ...seenAfter(before, steps, lines, known), latest: times.latest }
      yield* Ref.set(seen, after)
      const ofLines = lines.flatMap((line) => lineWords(line, expectHead))
      yield* report([...ofLines, ...times.words, ...words, ...(logOnly ? [] : yield* repairWords(run, lines))])
      const { unknown } = after.place.walked
      if (unknown !== null) return yield* new LogTooNew({ path: runPlaces(run).directory, reason: unknown })
    })

    const look = Effect.gen(function*() {
      const { place } = yield* Ref.get(seen)
      yield* Stream.runForEachArray(walkLog(auditor.kind, run, { from: place }), take)
      return yield* auditor.ended((yield* Ref.get(seen)).place.walked)
    })

    yield* look.pipe(
      // A reviewer that was open when the log was read may have been recorded since.
      Effect.flatMap((open) => open.length === 0 ? Effect.succeed(open) : look),
      Effect.catchIf(isDamage, (error) => Effect.map(Ref.get(seen), ({ place }) => [damageWord(error, place.head)])),
      Effect.flatMap(report)
    )
    const all = yield* Ref.get(seen)
    yield* report([...endWords(all), ...headWords(all.place.head, expectHead)])
    return yield* Ref.get(seen)
  }
)
