// AskForResult: asks agents for the result of a task until it is accepted, to be mended, or blocked.
// Every judgement is committed before what follows from it, so any later call goes on where this one ended.
import { Effect } from "effect"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { AgentEnding } from "../core/agent/AgentEnding.ts"
import { judgeAnswer } from "../core/agent/JudgeAnswer.ts"
import { type DecodedResult, resultJsonSchema } from "../core/agent/Result.ts"
import type { AgentTask } from "../core/agent/Task.ts"
import { isRetryPrompt, nextAfterResult } from "../core/agent/ResultRetry.ts"
import type { TaskEventOf } from "../core/agent/TaskEvent.ts"
import { isAnswer, isLasting, isOpen, preambleOf, type TaskProgress, taskProgress } from "../core/agent/TaskProgress.ts"
import { agentOf, type AgentOrder, type AgentResult } from "./AgentOrder.ts"
import type { Driver, Held } from "./Driver.ts"
import { judgeOnce, type Turn, untilResult } from "./Judging.ts"
import { runAgent } from "./RunAgent.ts"
import { hasChanged, rangeOfWork } from "./SafeWork.ts"

/** What is asked for. The agents get their numbers and the form of the answer here. */
export interface ResultOrder extends Omit<AgentOrder, "agent" | "task"> {
  readonly task: Omit<AgentTask, "answer">
  /** Whether a message answers every finding; left out where no findings are asked about. */
  readonly answers?: (message: string) => boolean
  /** Agents up to this number answered earlier questions about the same task. */
  readonly after?: number
}

/** What came of it. `retried`: the agent had been asked for the second time. */
export type AskedResult =
  | {
    readonly _tag: "Judged"
    readonly action: "accept" | "remediate" | "block"
    readonly agent: number
    readonly result: DecodedResult
    readonly ending: AgentEnding
    readonly remedy: string | null
    readonly retried: boolean
  }
  /** A fresh agent would meet the same failure: a person acts by the remedy, then this is called again. */
  | { readonly _tag: "Halted"; readonly agent: number; readonly ending: AgentEnding; readonly remedy: string | null }
  /** The agent changed git's own state in these parts: a person looks at them, and then this is called again. */
  | { readonly _tag: "GitStateChanged"; readonly agent: number; readonly what: ReadonlyArray<string> }
  | { readonly _tag: "Stopped"; readonly agent: number; readonly cause: TaskEventOf<"AgentStopped">["cause"] }

const progressIn = ({ state }: Held, { after = 0, task }: ResultOrder): TaskProgress =>
  taskProgress(state.agents.agents, task, after)

/** The agent that is run now: the open one, the one whose judgement is the last word, or a new one. */
const agentNow = ({ state }: Held, { asked }: TaskProgress): number => {
  const last = asked.at(-1)
  if (last !== undefined && isOpen(last)) return last.agent
  return asked.find(isAnswer)?.agent ?? state.agents.agents.length + 1
}

const orderOf = (order: ResultOrder, agent: number, preamble: string): AgentOrder => {
  const { after: _after, answers: _answers, compact, task, ...rest } = order
  const shorter = compact === undefined ? {} : { compact: (window: number | null) => preamble + compact(window) }
  const asked = { ...task, prompt: preamble + task.prompt, answer: resultJsonSchema(task) }
  return { ...rest, ...shorter, agent, task: asked }
}

type Ended = Extract<AgentResult, { readonly _tag: "Ended" }>

/** Judges an agent's result by what the task has used up so far. */
const judge = <S extends DrivenState, X extends Tagged>(
  driver: Driver<S, X>,
  order: ResultOrder,
  agent: number,
  result: DecodedResult
) =>
  judgeOnce(driver, agent, (now) => {
    const { role, taskId } = order.task
    const { action } = nextAfterResult(progressIn(now, order).counters, result)
    const { grammar, problems, status, valid } = result
    return { taskId, role, grammar, valid, status, action, problems }
  })

/** One agent, run to its end and judged; null as result where another agent is asked next. */
const asked = Effect.fnUntraced(
  function*<S extends DrivenState, X extends Tagged>(driver: Driver<S, X>, order: ResultOrder) {
    const progress = progressIn(driver, order)
    const agent = agentNow(driver, progress)
    const preamble = preambleOf(progress, order.task, agent)
    const { driver: ran, result: came } = yield* runAgent(driver, orderOf(order, agent, preamble))
    if (came._tag === "Stopped") return { driver: ran, result: { ...came, agent } satisfies AskedResult }
    const what = agentOf(ran, agent)?.gitChanged ?? []
    if (what.length > 0) return { driver: ran, result: { _tag: "GitStateChanged", agent, what } satisfies AskedResult }
    const { ending, remedy }: Ended = came
    if (ending._tag !== "Done" && ending._tag !== "Reported" && isLasting(ending._tag)) {
      return { driver: ran, result: { _tag: "Halted", agent, ending, remedy } satisfies AskedResult }
    }
    const { role, taskId } = order.task
    const kind = agentOf(ran, agent)?.started.kind ?? "command"
    const worked = ending._tag === "Done" && kind === "codex" &&
      (order.answers?.(ending.message) === true || (yield* hasChanged(ran, order.task.cwd, agent)))
    const result = judgeAnswer({ role, taskId, kind, range: rangeOfWork(ran, agent), worked }, ending)
    const next = yield* judge(ran, order, agent, result)
    const action = agentOf(next, agent)?.judged?.action ?? "block"
    if (action !== "accept" && action !== "remediate" && action !== "block") return { driver: next, result: null }
    const retried = isRetryPrompt(preamble)
    const judged: AskedResult = { _tag: "Judged", action, agent, result, ending, remedy, retried }
    return { driver: next, result: judged }
  }
)

/**
 * Asks for a task's result: an invalid one is asked for once more, a failed agent replaced once, a reviewer who cannot
 * answer replaced by a fresh one. What the agent names as wrong is for the caller to mend, who then asks again with
 * `after` set to this agent.
 */
export const askForResult = Effect.fn("AskForResult.askForResult")(<S extends DrivenState, X extends Tagged>(
  driver: Driver<S, X>,
  order: ResultOrder
) => untilResult(driver, (now) => Effect.map(asked(now, order), (turn): Turn<S, X, AskedResult> => turn)))
