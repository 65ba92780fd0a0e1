// AskForReview: asks a read-only reviewer for its review, and again if the first answer cannot be read.
// Every judgement is committed before what follows from it, so any later call continues where this one ended.
import { Effect } from "effect"
import type { TaggedEvent } from "../log/StreamKind.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import { type PlanVerdict, type ReadReview, reviewJsonSchema } from "./PlanReview.ts"
import {
  addAnswerForm,
  conversionPrompt,
  correctionPrompt,
  type JudgedReview,
  judgeReview,
  type ReviewProgress,
  reviewProgress
} from "./TaskProgress.ts"
import type { AgentTask } from "./Task.ts"
import type { AgentKind } from "../log/Refs.ts"
import { Agent } from "./Agent.ts"
import { agentOf, type AgentOrder } from "./Order.ts"
import type { Driver, DriverStream, TaskState } from "./TaskLog.ts"
import {
  type Changed,
  type Failed,
  judgeOnce,
  runToEnd,
  type Turn,
  type Unanswered,
  untilResult
} from "./AskForResult.ts"
import { runAgent } from "./RunAgent.ts"

/** What is asked for. The form of the answer is added to the prompt, and the reviewer may not write. */
export interface ReviewOrder extends Omit<AgentOrder, "agent" | "task" | "thread" | "mustWork"> {
  readonly task: Omit<AgentTask, "sandbox" | "answer">
  /** Agents up to this number gave earlier reviews of the same task. */
  readonly after?: number
}

export type ReviewOutcome =
  /** `text` holds the reviewer's own words. An unreadable review is NEEDS_FIXES, and `problems` say so. */
  | (
    & { readonly _tag: "Reviewed"; readonly agent: number; readonly verdict: PlanVerdict; readonly text: string }
    & Pick<ReadReview, "grammar" | "issues" | "problems">
  )
  /** Two reviewers failed, so there is no review. */
  | Failed<"Blocked">
  | Unanswered

/** Why there is no review to go on from. */
export type Unfinished = Exclude<ReviewOutcome, { readonly _tag: "Reviewed" }> | Changed

const progressIn = ({ state }: DriverStream, { after = 0, task }: ReviewOrder): ReviewProgress =>
  reviewProgress(state.agents.agents, task, after)

/** The order for the next step, whose agents start as this kind. */
const orderOf = (order: ReviewOrder, { step }: ReviewProgress, kind: AgentKind, agent: number, said: string) => {
  const { after: _after, compact, task, ...rest } = order
  const asked = (prompt: string): AgentOrder => ({
    ...rest,
    agent,
    task: { ...task, prompt, sandbox: "read-only", answer: reviewJsonSchema() }
  })
  switch (step._tag) {
    case "Correction":
      return { ...asked(correctionPrompt(step.problems)), thread: step.thread }
    case "Conversion":
      return asked(conversionPrompt(said))
    case "Review":
      return {
        ...asked(addAnswerForm(task.prompt, kind)),
        ...(compact === undefined ? {} : { compact: (window: number | null) => addAnswerForm(compact(window), kind) })
      }
  }
}

/** The answers that could not be read. Their agents have ended, so nothing is run. */
const wordsOf = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  order: ReviewOrder,
  progress: ReviewProgress,
  kind: AgentKind
) =>
  Effect.map(
    Effect.forEach(
      progress.earlier,
      ({ agent }) =>
        Effect.map(runAgent(driver, orderOf(order, progress, kind, agent, "")), ({ result }) =>
          result._tag === "Ended" ? [result.ending.message] : [])
    ),
    (all) =>
      all.flat().join("\n\n")
  )

const judge = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  { task: { role, taskId } }: ReviewOrder,
  agent: number,
  judged: JudgedReview
) =>
  judgeOnce(driver, agent, () => {
    const { action, grammar, problems, status } = judged
    return { taskId, role, grammar, valid: status !== null, status, action, problems }
  })

/** One agent, run to its end and judged; the result is null if another agent is asked next. */
const asked = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: ReviewOrder) {
    const progress = progressIn(driver, order)
    const { failed, step } = progress
    const agent = progress.agent ?? driver.state.agents.agents.length + 1
    const kind = agentOf(driver, agent)?.started.kind ?? (yield* Agent).kind
    const said = yield* wordsOf(driver, order, progress, kind)
    const { driver: ran, ended, over } = yield* runToEnd(driver, orderOf(order, progress, kind, agent, said))
    if (over !== null) return { driver: ran, result: over satisfies ReviewOutcome }
    const { ending, remedy, threadId: thread } = ended
    // An agent that converts a review reads nothing: what counts is whether the reviewer did.
    const reviewer = step._tag === "Conversion" ? progress.earlier.at(-1) : agentOf(ran, agent)
    const read = judgeReview({ step, failed, kind, thread, said, read: reviewer?.read }, ending)
    const next = yield* judge(ran, order, agent, read)
    // The judgement in the log counts, whoever made it.
    const judged = agentOf(next, agent)?.judged
    if (judged?.action === "block") {
      const message = judged.problems.join("; ")
      const failure: AgentEnding = ending._tag === "Done" ? { _tag: "Empty", message, unreadable: false } : ending
      return { driver: next, result: { _tag: "Blocked", agent, ending: failure, remedy } satisfies ReviewOutcome }
    }
    if (judged?.action !== "accept" && judged?.action !== "remediate") return { driver: next, result: null }
    const own = step._tag === "Conversion" || ending._tag !== "Done" ? [] : [ending.message]
    const { grammar, issues } = read
    const result: ReviewOutcome = {
      _tag: "Reviewed",
      agent,
      verdict: judged.action === "accept" ? "ACCEPTABLE" : "NEEDS_FIXES",
      grammar,
      issues,
      problems: judged.problems,
      text: [said, ...own].filter((part) => part !== "").join("\n\n")
    }
    return { driver: next, result }
  }
)

/**
 * Asks for a review of a task. One that cannot be read is asked for once more on its own thread, then converted once by
 * a fresh agent, then counts as NEEDS_FIXES. A reviewer that fails is replaced once.
 */
export const askForReview = Effect.fn("AskForReview.askForReview")(<S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  order: ReviewOrder
) => untilResult(driver, (now) => Effect.map(asked(now, order), (turn): Turn<S, X, ReviewOutcome> => turn)))
