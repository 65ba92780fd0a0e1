// words: the wording of a run's rounds and batches for people, in a report, in `status` and on a terminal alike.
import type { Tone } from "../text/Paint.ts"
import type { SkipCause } from "../drive/converge/Event.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"
import type { AgentView, RoundEnd, RoundView } from "./RunView.ts"

/** The name of an agent, by its program. */
export const agentName = (agent: AgentView | undefined): string => {
  const kind = agent?.state.started.kind ?? "command"
  return kind === "command" ? "the agent" : kind
}

const works: Readonly<Record<string, string>> = {
  address: "works on the findings",
  patterns: "fixes a recurring cause",
  retrospective: "looks for a recurring cause",
  mend: "works on the failing tests",
  implement: "implements",
  test: "adds tests",
  fix: "works on what the review found",
  review: "reviews",
  analysis: "checks the review"
}

/** The kind of an agent's task, from its name in the log: `mend` in `round-1/mend-2`. */
export const taskKind = (taskId: string): string => /\/([a-z]+)(?:-\d+)?$/.exec(taskId)?.[1] ?? ""

/** The work of an agent, from the name of its task. */
export const workOf = (taskId: string): string => works[taskKind(taskId)] ?? "works"

/** An agent's answer to a finding, or the text of another version. */
export const answerWord = (answer: string): string => answer === "not-done" ? "left open" : oneLine(answer)

interface Wording {
  readonly tone: Tone
  readonly text: string
}

const ends: Readonly<Record<RoundEnd, Wording>> = {
  AddressPassed: { tone: "good", text: "answered, and the tests pass" },
  AddressFailed: { tone: "bad", text: "answered, and the tests fail" },
  RetroClean: { tone: "good", text: "no recurring cause" },
  RetroChanges: { tone: "good", text: "a recurring cause was fixed" },
  Skipped: { tone: "neutral", text: "skipped" },
  AnsweredElsewhere: { tone: "open", text: "answered by you or another process" },
  TestsRed: { tone: "bad", text: "the tests still fail" },
  Rejected: { tone: "bad", text: "a result was rejected" },
  Protected: { tone: "bad", text: "protected files were changed" },
  Accepted: { tone: "good", text: "accepted, its tasks are marked as done" },
  Limit: { tone: "bad", text: "no fix is left" },
  Circle: { tone: "bad", text: "a fix brought back what a review had refused" },
  Moved: { tone: "bad", text: "the code changed while it was reviewed" },
  PlanChanged: { tone: "open", text: "the plan's tasks were changed" }
}

const skips: Readonly<Record<SkipCause, string>> = {
  Never: "no agent looks over clean levels",
  NoFindings: "nothing had been found",
  AskedBefore: "the same was asked before"
}

/** How a round ended. */
export const endOf = ({ accepted, agents, answers, end, skipped, tests }: RoundView): Wording => {
  if (end === null) {
    return { tone: "open", text: accepted ? "accepted, not ended" : agents.length > 0 ? "not ended" : "not begun" }
  }
  if (end === "Skipped" && skipped !== null) return { tone: "neutral", text: `skipped: ${skips[skipped]}` }
  if (end !== "AddressPassed") return ends[end]
  const left = answers.filter(({ answer }) => answer === "not-done").length
  const passed = tests.length === 0 ? "answered" : ends.AddressPassed.text
  return left === 0
    ? { tone: "good", text: passed }
    : { tone: "open", text: `${passed}; ${counted(left, "finding")} left open` }
}

/** The subject of a round: `2 findings of low batch 1`. */
export const roundSubject = ({ about, findings, kind, tasks }: RoundView): string => {
  const of = about === null ? "" : ` of ${batchName(about)}`
  switch (kind) {
    case "Address":
      return `${counted(findings.length, "finding")}${of}`
    case "Retrospective":
      return `retrospective${of}`
    case "Tasks":
      return tasks.map(({ index, title }) => `task ${index} ${title}`).join("; ")
  }
}

/** The title of a round: `Round 1: 2 findings of low batch 1`. */
export const roundTitle = (round: RoundView): string => `Round ${round.round}: ${roundSubject(round)}`
