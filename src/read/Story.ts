// Story: what happened in a run, in order of time, as lines for people: tests, batches of reviews, rounds of agents.
// `status`, a followed run and a driver's log tell the same story; each line has a key, so that it is printed once.
import { priorityName, placeText } from "../review/findings/words.ts"
import { slotsOf } from "../run/Batch.ts"
import { remedy } from "../run/ReviewTokens.ts"
import { batchName, counted, narrowSpan } from "../text/Phrases.ts"
import { brief, oneLine } from "../text/Untrusted.ts"
import type { RunView } from "./Look.ts"
import type { ReadRun } from "./RunFindings.ts"
import type { BatchView, RoundView, TestView } from "./RunView.ts"
import { agentName, causeText, endOf, type Tone } from "./words.ts"

/** What agents of a round changed. */
export interface Changes {
  /** The names of the files. */
  readonly files: ReadonlyArray<string>
  readonly added: number
  readonly removed: number
}

/** A line of the story with the lines below it. `over`: whether nothing of it will change. */
export interface StoryLine {
  readonly key: string
  /** When it was over, or the end of time: the order of the lines. */
  readonly at: number
  readonly over: boolean
  readonly tone: Tone
  readonly text: string
  readonly below: ReadonlyArray<string>
}

/** What is read beside the logs. */
export interface Beside {
  readonly read: ReadRun | null
  readonly changes: ReadonlyMap<number, Changes>
}

// The most findings of a batch that are listed.
const most = 5

const never = Number.MAX_SAFE_INTEGER

const time = (from: number | null, to: number | null): string =>
  from === null || to === null ? "" : narrowSpan(Math.max(0, to - from))

/** A line: who or where, what, what came of it, how long it took. */
const line = (head: string, ...cells: ReadonlyArray<string>): string =>
  (head.padEnd(9) + cells.filter((cell) => cell !== "").map((cell) => cell.padEnd(10)).join("  ")).trimEnd()

const below = (text: string): string => `           ${text}`

export const changesText = ({ added, files, removed }: Changes): string =>
  `${counted(files.length, "file")} changed, +${added} -${removed}`

// Tests

const testResult = ({ state: { standing } }: TestView): string => {
  if (standing._tag === "Running") return "runs"
  if (standing._tag === "Stopped") return "was stopped"
  const { exit } = standing.finished
  return exit === 0 ? "passed" : exit === null ? "ran out of time" : `failed (exit ${exit})`
}

const testText = (test: TestView): string =>
  `${brief(test.state.started.command, 60)} ${testResult(test)}  ${time(test.from, test.to)}`.trimEnd()

const testLine = (test: TestView): StoryLine => {
  const { standing } = test.state
  const passed = standing._tag === "Finished" && standing.finished.exit === 0
  return {
    key: `test ${test.state.started.test}`,
    at: test.to ?? never,
    over: standing._tag !== "Running",
    tone: passed ? "good" : standing._tag === "Finished" ? "bad" : "open",
    text: line("", testText(test)),
    below: []
  }
}

// Batches

const failureLines = (batch: BatchView): ReadonlyArray<string> => {
  const failed = slotsOf(batch.started, "Failed")
  const [first] = failed
  if (first === undefined) return []
  const same = failed.every(({ kind }) => kind === first.kind)
  const causes = same ? [first] : failed
  return [
    ...causes.map((slot) => below(`${same ? "" : `review ${slot.slot}: `}${causeText(slot)}`)),
    ...new Set(causes.map(({ kind }) => below(remedy(kind))))
  ]
}

const findingLines = (batch: BatchView, read: ReadRun | null): ReadonlyArray<string> => {
  const tracked = read?.history.chapters.find(({ at }) => batchName(at) === batchName(batch))?.tracked ?? []
  const shown = tracked.slice(0, most).map(({ finding }) =>
    below(`${priorityName(finding)}  ${oneLine(placeText(finding))}  ${brief(finding.title, 110)}`)
  )
  const left = tracked.length - shown.length
  return left > 0 ? [...shown, below(`and ${counted(left, "more finding")}`)] : shown
}

const resultOf = (batch: BatchView, read: ReadRun | null): string => {
  const { started, verdict } = batch
  const finished = slotsOf(started, "Finished")
  const flawed = finished.filter((slot) => slot.verdict === "HasIssues").length
  switch (verdict) {
    case "Clean":
      return "clean"
    case "Failed":
      return `${slotsOf(started, "Failed").length} failed`
    case "Stopped":
      return "stopped"
    case "Unfinished":
      return `${finished.length} of ${started.size} finished`
    case "Waived":
    case "Issues": {
      const at = read?.batches.find((one) => batchName(one) === batchName(batch))
      const count = at?.read === true && at.findings.length > 0
        ? counted(at.findings.length, "finding")
        : `issues in ${flawed}`
      return verdict === "Waived" ? `${count}, none blocks` : count
    }
  }
}

const tones = {
  Clean: "good",
  Waived: "good",
  Issues: "bad",
  Failed: "bad",
  Stopped: "open",
  Unfinished: "open"
} as const satisfies Record<BatchView["verdict"], Tone>

const batchLine = (batch: BatchView, last: boolean, { read }: Beside): StoryLine => {
  const { from, level, started, to, verdict } = batch
  const over = !last || (verdict !== "Unfinished" && verdict !== "Stopped")
  return {
    key: batchName(batch),
    at: over ? to : never,
    over,
    tone: tones[verdict],
    text: line(level, counted(started.size, "review"), resultOf(batch, read), over ? time(from, to) : ""),
    below: verdict === "Failed" ? failureLines(batch) : findingLines(batch, read)
  }
}

// Rounds

const verbs = { fixed: "fixed", refuted: "refuted", documented: "documented", "not-done": "left open" } as const

const answersText = ({ answers }: RoundView): string =>
  Object.entries(verbs).flatMap(([answer, verb]) => {
    const count = answers.filter((one) => one.answer === answer).length
    return count === 0 ? [] : [`${verb} ${counted(count, "finding")}`]
  }).join(", ")

const workText = (round: RoundView): string => {
  const { end, findings, kind, tasks, to } = round
  const who = agentName(round.agents.at(-1))
  const [task] = tasks
  switch (kind) {
    case "Address": {
      const answers = answersText(round)
      return `${who} ${
        answers === "" ? `${to === null ? "works" : "worked"} on ${counted(findings.length, "finding")}` : answers
      }`
    }
    case "Retrospective":
      return end === "RetroChanges"
        ? `${who} fixed a recurring cause`
        : end === "RetroClean"
        ? "no recurring cause"
        : `${who} looks for a recurring cause`
    case "Tasks":
      return `${who}: ${
        tasks.length === 1 && task !== undefined
          ? `task ${task.index} ${brief(task.title, 60)}`
          : counted(tasks.length, "task")
      }`
  }
}

/** The last run of each test of a round. */
const lastTests = ({ tests }: RoundView): ReadonlyArray<TestView> => [
  ...new Map(tests.map((one) => [one.state.started.command, one])).values()
]

const reviewText = ({ issues, verdict }: RoundView["reviews"][number]): string =>
  verdict === "ACCEPTABLE" ? "review: acceptable" : `review: needs fixes, ${counted(issues.length, "issue")}`

/** How a round ended, where its answers and tests do not say it. */
const endText = (round: RoundView): string =>
  round.end === null || round.end === "AddressPassed" || round.end === "RetroClean" || round.end === "RetroChanges"
    ? ""
    : endOf(round).text

const roundLine = (round: RoundView, { changes }: Beside): StoryLine => {
  const { from, kind, to } = round
  const changed = changes.get(round.round)
  const quiet = kind === "Retrospective" && round.end === "RetroClean"
  return {
    key: `round ${round.round}`,
    at: to ?? never,
    over: to !== null,
    tone: endOf(round).tone,
    text: line(
      quiet ? "" : `round ${round.round}`,
      workText(round),
      changed === undefined || changed.files.length === 0 ? "" : changesText(changed),
      endText(round),
      time(from, to)
    ),
    below: [...round.reviews.map(reviewText), ...lastTests(round).map(testText)].map((text) => line("", text))
  }
}

/** The story of a run, the oldest first. */
export const storyOf = (view: RunView, beside: Beside): ReadonlyArray<StoryLine> =>
  [
    ...view.tests.map(testLine),
    ...view.batches.map((batch, i) => batchLine(batch, i === view.batches.length - 1, beside)),
    ...view.rounds.filter(({ end }) => end !== "Skipped").map((round) => roundLine(round, beside))
  ].sort((a, b) => a.at - b.at)

/** A line of the story with what is below it. */
export const storyText = ({ below, text }: StoryLine): string => [text, ...below].map((one) => `${one}\n`).join("")
