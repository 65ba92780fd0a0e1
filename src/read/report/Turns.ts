// Turns: the rounds of a run for its report: the subject of each, the work of agents and tests, how it ended.
import type { PlanEventOf } from "../../drive/plan/Event.ts"
import { counted } from "../../text/Phrases.ts"
import { excerptOf } from "../Excerpt.ts"
import type { RoundView, RunFacts } from "../RunView.ts"
import { endOf, roundTitle } from "../words.ts"
import {
  type AnswerPart,
  type Fact,
  type ReviewPart,
  type TaskPart,
  type TurnPart,
  type Verdict,
  workParts,
  type WorkRecords,
  workText
} from "./ReportData.ts"

const named = (tasks: ReadonlyArray<number>): string => tasks.map((one) => `task ${one}`).join(", ")

const analysisFacts = (analysed: PlanEventOf<"ReviewAnalysed">): ReadonlyArray<Fact> => [
  {
    name: "Analysis",
    value: `${analysed.needsFixes ? "fixes are needed" : "no fixes are needed"}, ${
      counted(analysed.dropped.length, "issue")
    } dropped`
  },
  ...analysed.dropped.map(({ issue, quote, task }) => ({
    name: "Dropped",
    value: `${issue} (belongs to task ${task}: "${quote}")`
  }))
]

const factsOf = (round: RoundView, work: string): ReadonlyArray<Fact> => {
  const { analysed, claimed, commits, problems, protectedFiles, reason, restored } = round
  return [
    { name: "Work", value: work },
    ...(claimed.length === 0 ? [] : [{ name: "Claimed", value: named(claimed) }]),
    ...(analysed === null ? [] : analysisFacts(analysed)),
    ...(restored === null ? [] : [{ name: "Undone", value: `the worktree was put back to snapshot ${restored}` }]),
    ...commits.map(({ commit, output }) => ({ name: "Commit", value: commit ?? `git refused: ${output.text}` })),
    ...problems.map(({ agent, text }) => ({ name: "Problem", value: `agent ${agent}: ${text}` })),
    ...protectedFiles.map(({ agent, file }) => ({ name: "Protected", value: `agent ${agent} changed ${file}` })),
    ...(reason === "" ? [] : [{ name: "Reason", value: reason }])
  ]
}

const answersOf = ({ answers }: RoundView, titles: ReadonlyMap<string, string>): ReadonlyArray<AnswerPart> =>
  answers.map((one) => ({ ...one, title: titles.get(one.fingerprint) ?? null }))

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

/** The rounds of a run, after the tests outside of rounds. `titles` are its findings' titles, by name. */
export const turnParts = (
  { rounds, tests }: RunFacts,
  records: WorkRecords,
  titles: ReadonlyMap<string, string>
): ReadonlyArray<TurnPart> => {
  const outside = workParts({ agents: [], tests }, records)
  const turns = rounds.map((round): TurnPart => {
    const work = workParts(round, records)
    return {
      id: `round-${round.round}`,
      title: roundTitle(round),
      verdict: endOf(round),
      facts: factsOf(round, workText(work)),
      answers: answersOf(round, titles),
      reviews: round.reviews.map(reviewPart),
      work
    }
  })
  const [last] = outside.slice(-1)
  if (last === undefined) return turns
  const title = "Tests outside of any round"
  const facts = [{ name: "Work", value: workText(outside) }]
  return [{ id: "round-0", title, verdict: last.verdict, facts, answers: [], reviews: [], work: outside }, ...turns]
}

/** The tasks of a plan that the rounds of a run worked on. */
export const taskParts = (rounds: ReadonlyArray<RoundView>): ReadonlyArray<TaskPart> => {
  const all = new Map<number, TaskPart>()
  for (const { done, round, tasks, to } of rounds) {
    for (const { index, title } of tasks) {
      const before = all.get(index)
      const verdict: Verdict = done.includes(index)
        ? { tone: "good", text: `done in round ${round}` }
        : before?.verdict.tone === "good"
        ? before.verdict
        : { tone: "open", text: to === null ? `in round ${round}` : `not done in round ${round}` }
      all.set(index, { number: index, title, verdict })
    }
  }
  return [...all.values()].sort((a, b) => a.number - b.number)
}
