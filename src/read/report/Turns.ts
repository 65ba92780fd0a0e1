// Turns: rounds and cycles of a driver as data.
import { usageOf } from "../../agent/State.ts"
import type { ConvergeState, RoundState } from "../../drive/converge/State.ts"
import type { PlanEventOf } from "../../drive/plan/Event.ts"
import { claimed, type CycleState, type PlanState } from "../../drive/plan/State.ts"
import { batchName, counted } from "../../text/Phrases.ts"
import type { DriverPart } from "./Path.ts"
import {
  type Answered,
  type AnswerPart,
  excerptOf,
  type Fact,
  type ReviewPart,
  type TaskPart,
  type TurnPart,
  type Verdict,
  workParts,
  type WorkRecords,
  workText
} from "./ReportData.ts"

// The rounds of a converging run: what each answered, what agents and tests did in it, and how it ended.

const kinds = { AddressBatch: "answers the findings of", Retrospective: "looks over" } as const

const marks = {
  AddressPassed: { tone: "good", text: "answered, and the tests pass" },
  AddressFailed: { tone: "bad", text: "answered, and the tests fail" },
  RetroClean: { tone: "good", text: "nothing to change" },
  RetroChanges: { tone: "good", text: "patterns were changed" }
} as const

const closes = {
  Marked: null,
  AnsweredElsewhere: { tone: "open", text: "somebody else answered" },
  TestsRed: { tone: "bad", text: "its tests stayed red" },
  Rejected: { tone: "bad", text: "its result was rejected" },
  Protected: { tone: "bad", text: "protected files were changed" }
} as const

const skips = {
  Never: "no agent looks over clean levels",
  NoFindings: "nothing had been found",
  AskedBefore: "the same was asked before"
} as const

const verdictOf = ({ closed, concluded, skipped }: RoundState): Verdict => {
  const close = closed === null ? null : closes[closed.because]
  if (close !== null) return close
  if (skipped !== null) return { tone: "neutral", text: `skipped: ${skips[skipped.because]}` }
  return concluded === null ? { tone: "open", text: "not ended" } : marks[concluded.mark]
}

const factsOf = ({ answered, commits, concluded, restored }: RoundState, work: string): ReadonlyArray<Fact> => [
  { name: "Work", value: work },
  ...(restored === null
    ? []
    : [{ name: "Undone", value: `the worktree was put back to snapshot ${restored.snapshot}` }]),
  ...commits.map(({ commit, output }) => ({
    name: "Commit",
    value: commit ?? `git refused: ${output.text}`
  })),
  ...answered.flatMap(({ agent, protectedFiles }) =>
    protectedFiles.map((file) => ({ name: "Protected", value: `agent ${agent} changed ${file}` }))
  ),
  ...(concluded === null || concluded.reason.text === "" ? [] : [{ name: "Reason", value: concluded.reason.text }])
]

const answersOf = ({ answered }: RoundState, titles: ReadonlyMap<string, string>): ReadonlyArray<AnswerPart> => {
  // An agent that is asked again answers again: its last word on a finding counts.
  const last = new Map(answered.flatMap(({ answers }) => answers).map((one) => [one.fingerprint, one]))
  return [...last.values()].map(({ answer, fingerprint, why }) => ({
    fingerprint,
    title: titles.get(fingerprint) ?? null,
    answer,
    why
  }))
}

/** The rounds of a run. `titles` are those of its findings, by their names. */
export const roundParts = (
  state: ConvergeState,
  records: WorkRecords,
  titles: ReadonlyMap<string, string>
): ReadonlyArray<TurnPart> => {
  const outside = workParts(state, { prefix: "\n", number: 0 }, records)
  const rounds = state.rounds.map((round): TurnPart => {
    const { findings, kind, round: number } = round.started
    const work = workParts(state, { prefix: `round-${number}/`, number }, records)
    const about = kind === "AddressBatch" ? `, ${counted(findings.length, "finding")}` : ""
    return {
      id: `round-${number}`,
      title: `Round ${number} ${kinds[kind]} ${batchName(round.started)}${about}`,
      verdict: verdictOf(round),
      facts: factsOf(round, workText(work)),
      answers: answersOf(round, titles),
      reviews: [],
      work
    }
  })
  return outside.length === 0 ? rounds : [outsideOf(outside, "round"), ...rounds]
}

/** The tests that ran before the first turn, or between two. */
export const outsideOf = (work: TurnPart["work"], turn: "round" | "cycle"): TurnPart => ({
  id: `${turn}-0`,
  title: `Tests outside of any ${turn}`,
  verdict: work.at(-1)?.verdict ?? { tone: "neutral", text: "" },
  facts: [{ name: "Work", value: workText(work) }],
  answers: [],
  reviews: [],
  work
})

/** What a driver did, for the way of its run. */
export const driverPart = ({ agents, rounds }: ConvergeState): DriverPart => {
  const names = [...new Set(rounds.map(({ started }) => batchName(started)))]
  const of = (name: string) => rounds.flatMap(({ started }) => batchName(started) === name ? [started.round] : [])
  return { agents: usageOf(agents), rounds: new Map(names.map((name) => [name, of(name)])) }
}

/** What agents answered, by the names of findings, in the order of the rounds. */
export const answersByName = ({ rounds }: ConvergeState): ReadonlyMap<string, ReadonlyArray<Answered>> => {
  const all = new Map<string, Array<Answered>>()
  for (const round of rounds) {
    for (const { answer, fingerprint, why } of answersOf(round, new Map())) {
      const known = all.get(fingerprint)
      const one = { round: round.started.round, answer, why }
      if (known === undefined) all.set(fingerprint, [one])
      else known.push(one)
    }
  }
  return all
}

// The tasks of a plan, and the cycles of work on them: what was done, reviewed, weighed and accepted.

const cycleCloses = {
  Marked: { tone: "good", text: "accepted, its tasks are marked as done" },
  Limit: { tone: "bad", text: "the fixes are used up" },
  TestsRed: { tone: "bad", text: "its tests stayed red" },
  Rejected: { tone: "bad", text: "a result was rejected" },
  Protected: { tone: "bad", text: "protected files were changed" },
  Circle: { tone: "bad", text: "a fix brought back what a review had refused" },
  Moved: { tone: "bad", text: "the code was changed while it was reviewed" },
  PlanChanged: { tone: "open", text: "the plan says something else by now" }
} as const

const cycleVerdict = ({ accepted, closed }: CycleState): Verdict =>
  closed !== null
    ? cycleCloses[closed.because]
    : { tone: "open", text: accepted === null ? "not ended" : "accepted, not ended" }

const named = (tasks: ReadonlyArray<number>): string => tasks.map((one) => `task ${one}`).join(", ")

const cycleFacts = (cycle: CycleState, work: string): ReadonlyArray<Fact> => {
  const { analysed, commit, refusal, restored, taken } = cycle
  const claims = claimed(cycle)
  return [
    { name: "Work", value: work },
    ...(claims.length === 0 ? [] : [{ name: "Claimed", value: named(claims) }]),
    ...(analysed === null
      ? []
      : [{
        name: "Weighed",
        value: `${analysed.needsFixes ? "fixes are needed" : "no fixes are needed"}, ${
          counted(analysed.dropped.length, "issue")
        } dropped`
      }]),
    ...(analysed?.dropped ?? []).map(({ issue, quote, task }) => ({
      name: "Dropped",
      value: `${issue} (belongs to task ${task}: "${quote}")`
    })),
    ...(restored === null
      ? []
      : [{ name: "Undone", value: `the worktree was put back to snapshot ${restored.snapshot}` }]),
    ...(commit === null ? [] : [{ name: "Commit", value: "its work was committed" }]),
    ...(refusal === "" ? [] : [{ name: "Commit", value: `git refused: ${refusal}` }]),
    ...taken.flatMap(({ agent, problems, protectedFiles }) => [
      ...problems.map((value) => ({ name: "Problem", value: `agent ${agent}: ${value}` })),
      ...protectedFiles.map((file) => ({ name: "Protected", value: `agent ${agent} changed ${file}` }))
    ])
  ]
}

const reviewPart = (one: PlanEventOf<"CodeReviewed">): ReviewPart => ({
  title: one.round === 0
    ? `First review, by agent ${one.agent}`
    : `Review after fix ${one.round}, by agent ${one.agent}`,
  verdict: one.verdict === "ACCEPTABLE"
    ? { tone: "good", text: "acceptable" }
    : { tone: "bad", text: "needs fixes" },
  issues: one.issues.map(({ description, place, severity, suggestion }) => ({
    severity,
    place,
    text: suggestion === "" ? description : `${description}\n\n${suggestion}`
  })),
  text: excerptOf(one.review),
  notes: one.problems
})

/** The tasks that the cycles of a plan run were about. */
export const taskParts = ({ cycles }: PlanState): ReadonlyArray<TaskPart> => {
  const tasks = new Map<number, TaskPart>()
  for (const { closed, marked, started } of cycles) {
    for (const { index, title } of started.tasks) {
      const before = tasks.get(index)
      const verdict: Verdict = marked?.tasks.includes(index) === true
        ? { tone: "good", text: `done in cycle ${started.cycle}` }
        : before?.verdict.tone === "good"
        ? before.verdict
        : { tone: "open", text: closed === null ? `in cycle ${started.cycle}` : `not done in cycle ${started.cycle}` }
      tasks.set(index, { number: index, title, verdict })
    }
  }
  return [...tasks.values()].sort((a, b) => a.number - b.number)
}

/** The cycles of a plan run. */
export const cycleParts = (state: PlanState, records: WorkRecords): ReadonlyArray<TurnPart> => {
  const outside = workParts(state, { prefix: "\n", number: 0 }, records)
  const cycles = state.cycles.map((cycle): TurnPart => {
    const { cycle: number, tasks } = cycle.started
    const work = workParts(state, { prefix: `cycle-${number}/`, number }, records)
    return {
      id: `cycle-${number}`,
      title: `Cycle ${number}: ${tasks.map(({ index, title }) => `task ${index} ${title}`).join("; ")}`,
      verdict: cycleVerdict(cycle),
      facts: cycleFacts(cycle, workText(work)),
      answers: [],
      reviews: cycle.reviews.map(reviewPart),
      work
    }
  })
  return outside.length === 0 ? cycles : [outsideOf(outside, "cycle"), ...cycles]
}
