// CycleParts: the tasks of a plan, and the cycles of work on them: what was done, reviewed, weighed and accepted.
import { claimed, type CycleState, type PlanState } from "../implement/PlanState.ts"
import type { PlanEventOf } from "../implement/Event.ts"
import { counted } from "../text/Phrases.ts"
import type { Fact, ReviewPart, TaskPart, TurnPart, Verdict } from "./ReportData.ts"
import { outsideOf } from "./RoundParts.ts"
import { type WorkRecords, excerptOf, workParts, workText } from "./WorkParts.ts"

const closes = {
  Marked: { tone: "good", text: "accepted, its tasks are marked as done" },
  Limit: { tone: "bad", text: "the fixes are used up" },
  TestsRed: { tone: "bad", text: "its tests stayed red" },
  Rejected: { tone: "bad", text: "a result was rejected" },
  Protected: { tone: "bad", text: "protected files were changed" },
  Circle: { tone: "bad", text: "a fix brought back what a review had refused" },
  Moved: { tone: "bad", text: "the code was changed while it was reviewed" },
  PlanChanged: { tone: "open", text: "the plan says something else by now" }
} as const

const verdictOf = ({ accepted, closed }: CycleState): Verdict =>
  closed !== null
    ? closes[closed.because]
    : { tone: "open", text: accepted === null ? "not ended" : "accepted, not ended" }

const named = (tasks: ReadonlyArray<number>): string => tasks.map((one) => `task ${one}`).join(", ")

const factsOf = (cycle: CycleState, work: string): ReadonlyArray<Fact> => {
  const { analysed, committed, refusal, restored, taken } = cycle
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
    ...(committed ? [{ name: "Commit", value: "its work was committed" }] : []),
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
      verdict: verdictOf(cycle),
      facts: factsOf(cycle, workText(work)),
      answers: [],
      reviews: cycle.reviews.map(reviewPart),
      work
    }
  })
  return outside.length === 0 ? cycles : [outsideOf(outside, "cycle"), ...cycles]
}
