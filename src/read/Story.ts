// Story: what happened in a run, in order of time, as lines for people: tests, batches of reviews, rounds of agents.
// `status`, a followed run and a driver's log show the same story; each line has a key, so that it is printed once.
import type { SnapshotDiff } from "../code/Snapshots.ts"
import { priorityName, placeText } from "../review/findings/words.ts"
import { slotsOf } from "../run/Batch.ts"
import { changedUnderReview } from "../run/Decide.ts"
import { leftOut } from "../run/Identity.ts"
import { causeText, remedy } from "../run/FailureKind.ts"
import { batchName, counted, span, shortCount } from "../text/Phrases.ts"
import type { Tone } from "../text/Paint.ts"
import { brief, lines, oneLine, someNames } from "../text/Untrusted.ts"
import { changedCode, commandNotFound } from "../drive/Tests.ts"
import type { ReadRun } from "./RunFindings.ts"
import type { AgentView, BatchView, RoundEnd, RoundView, RunFacts, TestView } from "./RunView.ts"
import { agentName, endOf, taskKind } from "./words.ts"

/** The changes of a round's agents. */
export interface Changes {
  /** The names of the files. */
  readonly files: ReadonlyArray<string>
  readonly added: number
  readonly removed: number
}

/** A line of the story with the lines below it. `over`: it will not change any more. */
export interface StoryLine {
  readonly key: string
  /** When it was over, or infinity: the order of the lines. */
  readonly at: number
  readonly over: boolean
  readonly tone: Tone
  readonly text: string
  readonly below: ReadonlyArray<string>
}

/** The input beside the logs. */
export interface Beside {
  readonly read: ReadRun | null
  readonly changes: ReadonlyMap<number, Changes>
}

// The most findings of a batch that are listed.
const most = 5

const never = Number.MAX_SAFE_INTEGER

const time = (from: number | null, to: number | null): string =>
  from === null || to === null ? "" : span(Math.max(0, to - from))

/** A line: who or where, what, the result, how long it took. */
const line = (head: string, ...cells: ReadonlyArray<string>): string =>
  (head.padEnd(9) + cells.filter((cell) => cell !== "").map((cell) => cell.padEnd(10)).join("  ")).trimEnd()

const below = (text: string): string => `           ${text}`

/** The changes of a diff. */
export const changesIn = ({ files, text }: Pick<SnapshotDiff, "files" | "text">): Changes => {
  const all = text.split("\n")
  const count = (sign: string) => all.filter((one) => one.startsWith(sign) && !one.startsWith(sign.repeat(3))).length
  return { files, added: count("+"), removed: count("-") }
}

/** Changes in a few words. */
export const changesText = ({ added, files, removed }: Changes): string =>
  `${counted(files.length, "file")} changed, +${added} -${removed}`

// Tests

const isFailure = ({ state: { standing } }: TestView): boolean =>
  standing._tag === "Finished" && standing.finished.exit !== 0

/** Whether the same test failed before on the same work: only the second failure counts. */
const isSecond = ({ state: { agents, started } }: TestView, all: ReadonlyArray<TestView>): boolean =>
  all.some((one) =>
    isFailure(one) && one.state.started.test < started.test && one.state.started.command === started.command &&
    one.state.agents === agents
  )

const testResult = (test: TestView, all: ReadonlyArray<TestView>): string => {
  const { standing } = test.state
  if (standing._tag === "Running") return "runs"
  if (standing._tag === "Stopped") return "was stopped"
  const { exit } = standing.finished
  const moved = changedCode(test.state) ? ", but the code changed while it ran" : ""
  if (exit === 0) return `passed${moved}`
  if (exit === commandNotFound && moved === "") return "failed: command not found"
  const how = exit === null ? "ran out of time" : `failed (exit ${exit})`
  return `${how}${moved || (isSecond(test, all) ? " again" : ", runs once more in case it is flaky")}`
}

const testLine = (test: TestView, all: ReadonlyArray<TestView>): StoryLine => {
  const { standing, started } = test.state
  const passed = standing._tag === "Finished" && !isFailure(test)
  return {
    key: `test ${started.test}`,
    at: test.to ?? never,
    over: standing._tag !== "Running",
    tone: passed ? "good" : standing._tag === "Finished" ? "bad" : "open",
    text: line("", `${brief(started.command, 60)} ${testResult(test, all)}  ${time(test.from, test.to)}`.trimEnd()),
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
    ...new Set(causes.map(({ kind, message }) => below(remedy(kind, message))))
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
      return changedUnderReview(started) ? "clean, but the code changed" : "clean"
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
    below: [
      ...verdict === "Failed" ? failureLines(batch) : findingLines(batch, read),
      ...leftOut(started.identity).map(below)
    ]
  }
}

// Rounds

const answerTexts = {
  fixed: (findings: string) => `fixed ${findings}`,
  refuted: (findings: string) => `refuted ${findings}`,
  documented: (findings: string) => `documented ${findings}`,
  "not-done": (findings: string) => `left ${findings} open`
} as const

const answersText = ({ answers }: RoundView): string =>
  Object.entries(answerTexts).flatMap(([answer, text]) => {
    const count = answers.filter((one) => one.answer === answer).length
    return count === 0 ? [] : [text(counted(count, "finding"))]
  }).join(", ")

const workText = (round: RoundView): string => {
  const { agents, answeredAt, findings, kind, tasks, to } = round
  const [first] = round.agents
  const who = agentName(first)
  const [task] = tasks
  const failed = answeredAt === null && agents.at(-1)?.state.standing._tag === "Failed"
  switch (kind) {
    case "Address": {
      const answers = answersText(round)
      if (first === undefined && answers === "") return `${counted(findings.length, "finding")} to work on`
      const works = failed ? "failed" : to === null && answeredAt === null ? "works" : "worked"
      return `${who} ${answers === "" ? `${works} on ${counted(findings.length, "finding")}` : answers}`
    }
    case "Retrospective":
      return answeredAt !== null
        ? `${who} fixed a recurring cause`
        : round.end === "RetroClean"
        ? "no recurring cause"
        : `${who} ${failed ? "failed to look" : "looks"} for a recurring cause`
    case "Tasks":
      return `${who}${failed ? " failed" : ""}: ${
        tasks.length === 1 && task !== undefined
          ? `task ${task.index} ${brief(task.title, 60)}`
          : counted(tasks.length, "task")
      }`
  }
}

/** The subject of a round and the work; it is over once an agent has answered. */
const workLine = (round: RoundView, { changes }: Beside): StoryLine => {
  const { answeredAt, end, from, kind, to } = round
  const changed = changes.get(round.round)
  const until = answeredAt ?? to
  const meanwhile = round.agents.flatMap(({ state }) => state.meanwhile ?? [])
  return {
    key: `round ${round.round}`,
    at: until ?? never,
    over: until !== null,
    tone: answeredAt === null ? endOf(round).tone : "neutral",
    text: line(
      kind === "Retrospective" && answeredAt === null && end === "RetroClean" ? "" : `round ${round.round}`,
      `${workText(round)}${round.undone ? ", taken back since" : ""}`,
      changed === undefined || changed.files.length === 0 ? "" : changesText(changed),
      time(from, until)
    ),
    below: meanwhile.length === 0 ? [] : [below(`meanwhile: ${someNames(meanwhile)}`)]
  }
}

const further: Readonly<Record<string, string>> = {
  mend: "worked on the failing tests",
  fix: "worked on what the review found",
  test: "worked on the tests"
}

/** An agent's work after a round's first answer; null if it is not worth a line. */
const furtherText = ({ judged, started: { taskId } }: AgentView["state"]): string | null => {
  const kind = taskKind(taskId)
  switch (judged?.action) {
    case "retry":
    case "replace":
      return "gave no usable answer and is asked again"
    case "remediate":
      // A review that finds something has a line of its own.
      if (kind === "review" || kind === "analysis") return null
      return kind === "retrospective" ? "found a recurring cause" : "says that work is left and is asked again"
    case "accept":
      return further[kind] ?? null
    default:
      return null
  }
}

const furtherLines = ({ agents, round }: RoundView): ReadonlyArray<StoryLine> =>
  agents.flatMap((agent): ReadonlyArray<StoryLine> => {
    const { from, state, to } = agent
    const text = furtherText(state)
    return to === null || text === null
      ? []
      : [{
        key: `round ${round} agent ${state.agent}`,
        at: to,
        over: true,
        tone: state.judged?.action === "accept" ? "neutral" : "open",
        text: line("", `${agentName(agent)} ${text}  ${time(from, to)}`),
        below: []
      }]
  })

const reviewLines = ({ reviews, round }: RoundView): ReadonlyArray<StoryLine> =>
  reviews.map(({ at, issues, verdict }, i) => ({
    key: `round ${round} review ${i}`,
    at,
    over: true,
    tone: verdict === "ACCEPTABLE" ? "good" : "bad",
    text: line(
      "",
      verdict === "ACCEPTABLE"
        ? "review: acceptable"
        : `review: needs fixes${issues.length === 0 ? "" : `, ${counted(issues.length, "issue")}`}`
    ),
    below: []
  }))

const commitLines = ({ commits, round }: RoundView): ReadonlyArray<StoryLine> =>
  commits.map(({ at, commit, output }, i) => ({
    key: `round ${round} commit ${i}`,
    at,
    over: true,
    tone: commit === null ? "bad" : "neutral",
    text: line("", commit === null ? "git refused to commit" : `committed ${commit.slice(0, 12)}`),
    below: commit === null ?
      lines(output.text).filter((one) => one.trim() !== "").slice(-2).map((one) => below(brief(one, 110))) :
      []
  }))

const quiet: ReadonlySet<RoundEnd> = new Set(["AddressPassed", "AddressFailed", "RetroClean", "RetroChanges"])

/** How a round ended, if its answers and tests do not show it. */
const endLines = (round: RoundView): ReadonlyArray<StoryLine> => {
  const { done, end, restored, tasks, to } = round
  if (to === null || end === null || quiet.has(end) && restored === null) return []
  const marked = tasks.filter(({ index }) => done.includes(index))
  const back = restored === null ? "" : ", and the working tree was put back to where the round began"
  const texts = end === "Accepted" && marked.length > 0
    ? marked.map(({ index, title }) => `task ${index} done: ${brief(title, 80)}`)
    : [endOf(round).text + back]
  return texts.map((text, i) => ({
    key: `round ${round.round} end ${i}`,
    at: to,
    over: true,
    tone: endOf(round).tone,
    text: line("", text),
    below: []
  }))
}

const roundLines = (round: RoundView, beside: Beside): ReadonlyArray<StoryLine> => [
  workLine(round, beside),
  ...furtherLines(round),
  ...reviewLines(round),
  ...commitLines(round),
  ...endLines(round)
]

const handTexts = {
  Fixed: "fixed by hand",
  Undone: "taken back by hand",
  Again: "another try was asked for"
} as const satisfies Record<RunFacts["byHand"][number]["answer"], string>

const handLines = ({ byHand }: RunFacts): ReadonlyArray<StoryLine> =>
  byHand.map(({ answer, at }, i) => ({
    key: `by hand ${i}`,
    at,
    over: true,
    tone: "neutral",
    text: line("", handTexts[answer]),
    below: []
  }))

const amount = (budget: string, count: number): string =>
  budget === "time" ? span(count) : budget === "tokens" ? shortCount(count) : String(count)

const warningLines = ({ warnings }: RunFacts): ReadonlyArray<StoryLine> =>
  warnings.map(({ at, budget, limit, used }) => ({
    key: `warning ${budget} ${limit}`,
    at,
    over: true,
    tone: "open",
    text: `warning: ${amount(budget, used)} of ${amount(budget, limit)} ${budget} used`,
    below: []
  }))

const missedLines = ({ missed }: RunFacts): ReadonlyArray<StoryLine> =>
  missed.map(({ at, count, files, number, worker }) => ({
    key: `missed ${at} ${worker} ${number}`,
    at,
    over: true,
    tone: "open",
    text: line(
      "",
      `since ${worker === "Agent" ? "agent" : "test"} ${number}, whose end was not seen: ${someNames(files, count)}`
    ),
    below: []
  }))

/** All tests of a run, in the order in which they began. */
export const testsOf = ({ rounds, tests }: RunFacts): ReadonlyArray<TestView> =>
  [...rounds.flatMap((round) => round.tests), ...tests].sort((a, b) => a.state.started.test - b.state.started.test)

/** The story of a run, the oldest first. */
export const storyOf = (view: RunFacts, beside: Beside): ReadonlyArray<StoryLine> => {
  const tests = testsOf(view)
  return [
    ...view.batches.map((batch, i) => batchLine(batch, i === view.batches.length - 1, beside)),
    ...view.rounds.filter(({ end }) => end !== "Skipped").flatMap((round) => roundLines(round, beside)),
    ...tests.map((test) => testLine(test, tests)),
    ...handLines(view),
    ...missedLines(view),
    ...warningLines(view)
  ].sort((a, b) => a.at - b.at)
}

/** A line of the story with the lines below it. */
export const storyText = ({ below, text }: StoryLine): string => [text, ...below].map((one) => `${one}\n`).join("")
