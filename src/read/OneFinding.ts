// OneFinding: the findings of a whole run, each with its history, and how a caller names one.
import { Effect, Schema } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { HistoryName } from "../review/findings/formats/Json.ts"
import { priorityName } from "../review/findings/words.ts"
import { Priority } from "../run/Dismissal.ts"
import { Count, documentText, RunName, runName, version } from "../run/Document.ts"
import { Level } from "../run/Level.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { blockLine, brief, lines, oneLine } from "../text/Untrusted.ts"
import { type Page, table } from "../text/Paint.ts"
import { type Naming, readerCall, unnamed } from "../run/Naming.ts"
import { findings, type FindingsOptions, NoFindings, reviewed } from "./Findings.ts"
import { answeredText, type FindingPart, findingsPart, type FindingState, readRun } from "./RunFindings.ts"

const stateText = {
  open: "open",
  unseen: "not reported so far",
  light: "does not block",
  dismissed: "dismissed",
  gone: "gone"
} as const satisfies Record<FindingState, string>

/** Every finding of a run, the open ones first, the gravest first. */
export const allFindings = Effect.fn("OneFinding.allFindings")(function*(run: RunRef, naming: Naming = unnamed) {
  const { facts } = yield* reviewed(run)
  const read = yield* readRun(facts).pipe(
    Effect.catchTag("ReviewFilesFailed", ({ message }) => Effect.fail(new NoFindings({ message })))
  )
  return read === null ? [] : findingsPart(read, facts.rounds, naming).findings
})

/** What is wrong with the name of a finding, or null. */
export const findingNameProblem = (text: string): string | null =>
  /^(?:[1-9]\d{0,2}|[0-9a-f]{4,16}|(?=.*[a-f])[0-9a-f]{1,3})$/.test(text)
    ? null
    : "expected the number of a finding, as findings shows it, or its fingerprint or the beginning of that"

/** Whether an argument names a finding rather than a run: a run's id begins with its year. */
export const isFindingName = (text: string): boolean =>
  findingNameProblem(text) === null && (/^\d{1,3}$/.test(text) || /[a-f]/.test(text) || text.length === 16)

/** The one of some names that begins with a text; fails for none or several. */
export const oneNamed = <A extends { readonly fingerprint: string }>(
  all: ReadonlyArray<A>,
  name: string,
  listing: string
) => {
  const found = all.filter(({ fingerprint }) => fingerprint.startsWith(name))
  const [first] = found
  const same = found.every(({ fingerprint }) => fingerprint === first?.fingerprint)
  if (first !== undefined && same) return Effect.succeed(first)
  const why = first === undefined
    ? `no finding is named ${brief(name, 40)} [${listing} lists them]`
    : `${brief(name, 40)} is the beginning of ${counted(found.length, "name")}: ${
      found.slice(0, 4).map(({ fingerprint }) => fingerprint).join(", ")
    }`
  return Effect.fail(new NoFindings({ message: why }))
}

/** The finding with a number in the table of `findings`, or with the beginning of a fingerprint. */
export const oneFinding = Effect.fn("OneFinding.oneFinding")(
  function*(run: RunRef, name: string, options: FindingsOptions = {}, naming: Naming = unnamed) {
    const all = yield* allFindings(run, naming)
    const listing = readerCall("findings --all", naming)
    if (!/^\d{1,3}$/.test(name)) return yield* oneNamed(all, name, listing)
    const report = yield* findings(run, options)
    const numbered = report.findings[Number(name) - 1]
    const here = all.find(({ at, fingerprint }) =>
      fingerprint === numbered?.finding.fingerprint || at === numbered?.thread
    )
    return here ?? (yield* new NoFindings({
      message: `there is no finding ${name}: ${batchName(report.batch)} has ${report.findings.length} ` +
        `[${listing} lists those of the run, by name]`
    }))
  }
)

// The number of characters of a fingerprint that usually identify it.
const short = 8

/** All findings as a table, or a line that says there are no findings. */
export const allTable = (all: ReadonlyArray<FindingPart>, page?: Page): string =>
  all.length === 0 ? "no findings\n" : table([
    ["NAME", "PRIO", "STATE", "SEEN", "PLACE", "FINDING"],
    ...all.map((one) => [
      one.fingerprint.slice(0, short),
      priorityName(one),
      stateText[one.state] + answerText(one),
      String(one.seen.length),
      brief(one.place, 60),
      brief(one.title, 110)
    ])
  ], page)

/** The agents' last answer to it. */
const answerText = ({ answers, state }: FindingPart): string => {
  const last = answers.at(-1)
  // What is still open was not fixed, whatever an agent says.
  if (last === undefined) return ""
  const doubt = state === "open" && last.answer === "fixed" && !last.undone ? "an agent says " : ""
  return `, ${doubt}${answeredText(last)}`
}

const indented = (text: string): ReadonlyArray<string> => lines(text).map((line) => `  ${blockLine(line)}`.trimEnd())

/** One finding, whole. */
export const findingPage = (one: FindingPart): string => {
  const { answers, body, dismissal, fingerprint, gone, place, seen, title, twins, wordings } = one
  return [
    `${priorityName(one)}  ${oneLine(place)}  ${oneLine(title)}`,
    `${stateText[one.state]}; name ${fingerprint}`,
    "",
    ...indented(body.text),
    ...(body.rest === null ? [] : [`  (cut here; ${oneLine(body.rest)})`]),
    ...twins.map((twin) => `also at ${oneLine(twin)}`),
    ...wordings.flatMap((other) => [
      "",
      `in the words of reviewer ${other.slot}: ${oneLine(other.title)}`,
      ...indented(brief(other.body, 2000))
    ]),
    "",
    ...seen.map(({ at, of, slots, state }) =>
      `${batchName(at)}: ${state}, by ${slots.length} of ${counted(of, "review")}`
    ),
    ...(gone === null ? [] : [`${batchName(gone)}: no longer reported`]),
    ...answers.map((one) => `${answeredText(one)}${one.why === "" ? "" : `: ${brief(one.why, 400)}`}`),
    ...(dismissal === null ? [] : [oneLine(dismissal)])
  ].map((line) => `${line}\n`).join("")
}

const Place = Schema.Struct({ level: Level, batch: Count })

/** The document of `findings --all --json`, and of `findings N --json`. */
export class FindingsDocument extends Schema.Class<FindingsDocument>("RunFindings")({
  schema: version,
  run: RunName,
  all: Schema.Array(Schema.Struct({
    fingerprint: Schema.String,
    priority: Schema.NullOr(Priority),
    place: Schema.String,
    title: Schema.String,
    state: Schema.Literals(["Open", "Unseen", "Light", "Dismissed", "Gone"])
      .transform(["open", "unseen", "light", "dismissed", "gone"]),
    body: Schema.String,
    /** Where the rest of the body is; null if this is all. */
    rest: Schema.NullOr(Schema.String),
    seen: Schema.Array(Schema.Struct({ at: Place, state: HistoryName, slots: Schema.Array(Count), of: Count })),
    gone: Schema.NullOr(Place),
    answers: Schema.Array(Schema.Struct({ round: Count, answer: Schema.String, why: Schema.String })),
    dismissal: Schema.NullOr(Schema.String)
  }))
}) {}

/** Findings with their histories as one document on one line. */
export const storiesJson = (run: RunRef, all: ReadonlyArray<FindingPart>): string =>
  documentText(FindingsDocument, {
    run: runName(run),
    all: all.map(({ body, ...one }) => ({
      fingerprint: one.fingerprint,
      priority: one.priority,
      place: one.place,
      title: one.title,
      state: one.state,
      body: body.text,
      rest: body.rest,
      seen: one.seen,
      gone: one.gone,
      answers: one.answers.map(({ answer, round, why }) => ({ round, answer, why })),
      dismissal: one.dismissal
    }))
  })
