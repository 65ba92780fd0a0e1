// planReviews: reviewers and analysts of a plan's work in a world made at random.
// What is grave, and what belongs to another task, is decided by the world, and not by the program.
import { assert } from "vitest"
import type { ReviewIssue } from "../src/agent/PlanReview.ts"
import { isOpen, judgeReview, reviewProgress } from "../src/agent/TaskProgress.ts"
import { analyse } from "../src/drive/plan/Analysis.ts"
import type { GivenReview, PromptTask } from "../src/drive/plan/Prompts.ts"
import { claimed } from "../src/drive/plan/State.ts"
import { lastAgent, planTaskId } from "../src/drive/Tasks.ts"
import { agentFinished, agentStarted } from "../test/unit/drive/converge/events.ts"
import { digest } from "../test/unit/run/events.ts"
import { cycleOf, type DecisionOf, mayDie, type Over, type Working } from "./planDriving.ts"

const role = "spec-reviewer"

/** What a reviewer may find. Only what is harmless may be left to another task. */
const small = "A name could be shorter."
const harmless = ["The summary table is not printed yet.", "The flag for the colours is not known yet.", small]
const issues: ReadonlyArray<ReviewIssue> = [
  ...harmless.slice(0, 2).map((description) => ({ severity: "minor", description }) as const),
  { severity: "minor", description: "SQL injection is possible in the name of the file." } as const,
  { severity: "major", description: "It crashes where the list is empty." } as const,
  { severity: "critical", description: "The last line is left out." } as const,
  { severity: "info", description: small } as const
].map((one) => ({ ...one, place: "a.ts:1", suggestion: "Fix it." }))

/** What each task of the plan says, so that a quote of it can be right or wrong. */
export const wordsOfTask = (index: number): string => `Print the summary of part ${index} with its colours.`

const answerOfReviewer = ({ chance, now, pick }: Working): string => {
  if (chance(now.kind.poor)) return pick(["", "It looks fine to me.", '{"verdict": "ACCEPTABLE"}', "VERDICT: none"])
  if (!chance(now.kind.issues)) {
    return pick(["VERDICT: ACCEPTABLE", JSON.stringify({ issues: [issues[5]], verdict: "ACCEPTABLE" })])
  }
  const one = pick(issues)
  if (chance(0.2)) return `${one.severity}: ${one.description}\n\nVERDICT: NEEDS_FIXES`
  const found = chance(0.6) ? issues.slice(0, 2).filter(() => chance(0.7)) : issues.filter(() => chance(0.4))
  const verdict = chance(0.1) ? "ACCEPTABLE" : "NEEDS_FIXES"
  return JSON.stringify({ issues: found.length === 0 ? [one] : found, verdict })
}

/** The end of an agent that only reads; how the call ends where it came to no answer that can be judged. */
const readerEnds = (working: Working, agent: number, words: string): Over => {
  const { append, chance, now, pick } = working
  if (now.state.agents.agents[agent - 1]?.standing._tag !== "Running") return null
  now.tokens += 5
  // Somebody may edit while it reads.
  if (chance(now.kind.people)) working.person()
  const message = { text: words }
  const fields = { agent, attempt: 1, message, threadId: null, usage: null, transcript: digest, exit: 1 }
  const how = chance(now.kind.poor / 2) ? pick(["stopped", "quota", "crashed"] as const) : "done"
  switch (how) {
    case "stopped":
      append({ _tag: "AgentStopped", agent, attempt: 1, cause: "Interrupt" })
      return { because: "DoneAborted" }
    case "quota":
      append({ _tag: "AgentFailed", ...fields, failure: "Quota", remedy: "" })
      return { because: "AgentFailed" }
    case "crashed":
      append({ _tag: "AgentFailed", ...fields, failure: "Crashed", remedy: "" })
      break
    case "done":
      append(agentFinished({ agent, threadId: `t${agent}`, usage: null, message }))
  }
  mayDie(working)
  return null
}

const endingOf = ({ now }: Working, agent: number) => {
  const standing = now.state.agents.agents[agent - 1]?.standing
  return standing?._tag === "Finished"
    ? { _tag: "Done", message: standing.finished.message.text } as const
    : { _tag: "Crashed", message: "", exit: 1 } as const
}

/** A review, asked for until it can be read, and recorded with what its first reviewer saw. */
export const reviewed = (working: Working, { after, fix: round, round: cycle }: DecisionOf<"Review">): Over => {
  const { append, content, now } = working
  const taskId = planTaskId(cycle, `review-${round}`)
  const ofTask = () => now.state.agents.agents.filter(({ started }) => started.taskId === taskId)
  const past = Math.max(after, ofTask().findLast(({ judged }) => judged?.action === "block")?.agent ?? 0)
  for (let asked = 0; asked < 10; asked++) {
    const progress = reviewProgress(now.state.agents.agents, { role, taskId }, past)
    const agent = progress.agent ?? now.state.agents.agents.length + 1
    if (progress.agent === null) {
      append(agentStarted({ agent, taskId, role, id: `a${agent}`, sandbox: "read-only", before: content() }))
      mayDie(working)
    }
    const over = readerEnds(working, agent, answerOfReviewer(working))
    if (over !== null) return over
    const earlier = progress.earlier.map((one) => endingOf(working, one.agent).message)
    const reviewing = { step: progress.step, failed: progress.failed, kind: "codex", thread: `t${agent}` } as const
    const ending = endingOf(working, agent)
    const read = judgeReview({ ...reviewing, said: earlier.join("\n\n") }, ending)
    const { action, grammar, issues, problems, status } = read
    if (now.state.agents.agents[agent - 1]?.judged === null) {
      append({ _tag: "ResultJudged", agent, taskId, role, grammar, valid: status !== null, status, action, problems })
      mayDie(working)
    }
    if (action === "block") return { because: "AgentFailed" }
    if (action !== "accept" && action !== "remediate") continue
    const verdict = action === "accept" ? "ACCEPTABLE" : "NEEDS_FIXES"
    const text = [...earlier, ending.message].join("\n\n")
    const saw = ofTask().find((one) => one.agent > past)?.started.before ?? assert.fail("no reviewer looked")
    const review = { text }
    append({ _tag: "CodeReviewed", cycle, round, agent, verdict, issues, problems, review, content: saw })
    return null
  }
  return assert.fail("reviewers without an end")
}

/** What an analyst says of a review: drops that are right, that quote nothing, or that name what may not be dropped. */
const answerOfAnalyst = (
  { chance, now, pick }: Working,
  { issues: found, text }: GivenReview,
  pending: ReadonlyArray<PromptTask>
): string => {
  if (chance(now.kind.poor)) return pick(["", "Nothing to fix.", "{}", '{"needs_fixes": false}'])
  const names = found.length === 0
    ? [text.split("\n")[0]?.replace(/^\w+: /, "") ?? ""]
    : found.map(({ description }) => description)
  const dropped = names.filter(() => chance(0.9)).map((issue) => {
    const task = pending.length > 0 && chance(0.9) ? pick(pending).index : 0
    return { issue, task, quote: chance(0.9) ? wordsOfTask(task) : pick(["", "Print", "It says so somewhere else."]) }
  })
  return JSON.stringify({ needs_fixes: chance(0.1), fix_instructions: chance(0.5) ? "Fix it." : "", dropped })
}

/** The analysis of a cycle's first review. What it drops is held against what the world knows. */
export const analysed = (working: Working, cycle: number): Over => {
  const { append, now } = working
  const one = cycleOf(working, cycle)
  const last = one.reviews.at(-1) ?? assert.fail("nothing to analyse")
  const taskId = planTaskId(cycle, "analysis")
  const before = lastAgent(now.state, cycle, "analysis")
  const known = before !== null && isOpen(before) && before.agent > last.agent ? before : null
  const agent = known?.agent ?? now.state.agents.agents.length + 1
  if (known === null) append(agentStarted({ agent, taskId, role, id: `a${agent}`, sandbox: "read-only" }))
  mayDie(working)
  const pending = now.plan.tasks.flatMap((task, index): ReadonlyArray<PromptTask> =>
    task.done || claimed(one).includes(index) ? [] : [{ ...task, index }]
  )
  const review: GivenReview = { issues: last.issues, text: last.review.text }
  const over = readerEnds(working, agent, answerOfAnalyst(working, review, pending))
  if (over !== null) return over
  const ending = endingOf(working, agent)
  const { dropped, instructions, needsFixes, problems } = analyse({
    review,
    pending,
    answer: ending._tag === "Done" ? ending.message : null
  })
  for (const { quote, task } of dropped) {
    assert.isTrue(pending.some(({ index }) => index === task) && quote === wordsOfTask(task), "a drop without a quote")
  }
  const gone = review.issues.length === 0
    ? dropped.length === 0 ? [] : issues.filter(({ description }) => review.text.includes(description))
    : review.issues.filter(({ description }) => dropped.some(({ issue }) => issue === description))
  for (const { description } of gone) assert.include(harmless, description, "a grave issue is dropped")
  if (!needsFixes) {
    const left = review.issues.filter((one) => one.severity !== "info" && !gone.includes(one))
    assert.deepStrictEqual(left, [], "an issue is forgotten")
    const isRead = review.issues.length > 0 || dropped.length > 0 && review.text.includes("VERDICT: NEEDS_FIXES")
    assert.isTrue(isRead, "what could not be read is accepted")
  }
  append({
    _tag: "ReviewAnalysed",
    cycle,
    agent,
    needsFixes,
    instructions: { text: instructions },
    dropped,
    problems
  })
  return null
}
