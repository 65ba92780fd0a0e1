// AskForResult: asking agents until a result is accepted or blocked.
import { Effect } from "effect"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { note } from "../platform/Note.ts"
import { brief } from "../text/Untrusted.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import { judgeAnswer } from "./CodexResult.ts"
import type { TaskEventOf } from "./Event.ts"
import { agentOf, type AgentOrder, AgentTaken } from "./Order.ts"
import { type DecodedResult, resultJsonSchema } from "./Result.ts"
import { isRetryPrompt, nextAfterResult } from "./ResultRetry.ts"
import { runAgent } from "./RunAgent.ts"
import { hasChanged, rangeOfWork } from "./SafeWork.ts"
import type { AgentTask } from "./Task.ts"
import {
  commitDriver,
  type Driver,
  type DriverStream,
  refreshDriver,
  type TaskState,
  transactDriver
} from "./TaskLog.ts"
import { isLasting, preambleOf, type TaskProgress, taskProgress } from "./TaskProgress.ts"

// What every question to agents shares: an answer is judged once, and agents are asked until one is accepted.

export type Judgement = Omit<TaskEventOf<"ResultJudged">, "_tag" | "agent">

// A message may be wrong in any number of ways, and an event has room for a few of them.
const bounds = { problems: 20, problem: 400 } as const

/** Commits what follows from an agent's answer, unless it was judged before. The current stream decides. */
export const judgeOnce = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  agent: number,
  judge: (now: Driver<S, X>) => Judgement
) =>
  transactDriver(
    driver,
    Effect.fnUntraced(function*(now: Driver<S, X>) {
      if (agentOf(now, agent)?.judged !== null) return now
      const judgement = judge(now)
      const { action, status } = judgement
      yield* note("judged an answer", { run: now.ref.runId, agent, action, status })
      const problems = judgement.problems.slice(0, bounds.problems).map((one) => brief(one, bounds.problem))
      return yield* commitDriver(now, [{ _tag: "ResultJudged", agent, ...judgement, problems }])
    })
  )

/** The stream after an agent was asked, and the result; null if another agent is asked next. */
export interface Turn<S extends TaskState, X extends TaggedEvent, A> {
  readonly driver: Driver<S, X>
  readonly result: A | null
}

/** Asks agents, one after the other, until there is a result. */
export const untilResult = Effect.fnUntraced(function*<S extends TaskState, X extends TaggedEvent, A, E, R>(
  driver: Driver<S, X>,
  ask: (driver: Driver<S, X>) => Effect.Effect<Turn<S, X, A>, E, R>
) {
  let now = driver
  for (;;) {
    // The number may have gone to another task meanwhile.
    const { driver: next, result }: Turn<S, X, A> = yield* Effect.catchIf(
      ask(now),
      (error) => error instanceof AgentTaken,
      () => Effect.map(refreshDriver(now), (read) => ({ driver: read, result: null }))
    )
    if (result !== null) return { driver: next, result }
    now = next
  }
})

/** An agent that failed. `remedy` is what a person can do. */
export interface Failed<Tag> {
  readonly _tag: Tag
  readonly agent: number
  readonly ending: AgentEnding
  readonly remedy: string | null
}

/** The end of a question without an answer. A `Halted` one would fail for any new agent too: a person acts first. */
export type Unanswered =
  | Failed<"Halted">
  | { readonly _tag: "Stopped"; readonly agent: number; readonly cause: TaskEventOf<"AgentStopped">["cause"] }

/**
 * These parts of git's own state changed, or these files while an agent worked that may only read: a person checks them,
 * and then calls this again. The answer is kept.
 */
export interface Changed {
  readonly _tag: "GitStateChanged"
  readonly agent: number
  readonly what: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

/** What changed beside an agent that it must not change, or null. */
export const changedBeside = (driver: DriverStream, agent: number): Changed | null => {
  const { filesChanged: files = [], gitChanged: what = [] } = agentOf(driver, agent) ?? {}
  return what.length + files.length === 0 ? null : { _tag: "GitStateChanged", agent, what, files }
}

/** Runs an agent to its end: its ending, or why there is nothing to judge. */
export const runToEnd = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: AgentOrder) {
    const { agent } = order
    const { driver: ran, result } = yield* runAgent(driver, order)
    if (result._tag === "Stopped") return { driver: ran, over: { ...result, agent } satisfies Unanswered }
    const { ending, remedy } = result
    return ending._tag !== "Done" && ending._tag !== "Reported" && isLasting(ending._tag)
      ? { driver: ran, over: { _tag: "Halted", agent, ending, remedy } satisfies Unanswered }
      : { driver: ran, over: null, ended: result }
  }
)

// Asks agents for the result of a task until it is accepted, to be fixed, or blocked.
// Every judgement is committed before what follows from it, so any later call continues where this one ended.

/** What is asked for. The agents get their numbers and the form of the answer here. */
export interface ResultOrder extends Omit<AgentOrder, "agent" | "task"> {
  readonly task: Omit<AgentTask, "answer">
  /** Whether a message answers every finding; left out where no findings are asked about. */
  readonly answers?: (message: string) => boolean
  /** Agents up to this number answered earlier questions about the same task. */
  readonly after?: number
}

/** The result. `retried`: the agent had been asked for the second time. */
export type ResultOutcome =
  | {
    readonly _tag: "Judged"
    readonly action: "accept" | "remediate" | "block"
    readonly agent: number
    readonly result: DecodedResult
    readonly ending: AgentEnding
    readonly remedy: string | null
    readonly retried: boolean
  }
  | Changed
  | Unanswered

const progressIn = ({ state }: DriverStream, { after = 0, task }: ResultOrder): TaskProgress =>
  taskProgress(state.agents.agents, task, after)

const orderOf = (order: ResultOrder, agent: number, preamble: string): AgentOrder => {
  const { after: _after, answers: _answers, compact, task, ...rest } = order
  const shorter = compact === undefined ? {} : { compact: (window: number | null) => preamble + compact(window) }
  const asked = { ...task, prompt: preamble + task.prompt, answer: resultJsonSchema(task) }
  return { ...rest, ...shorter, agent, task: asked }
}

/** Judges an agent's result by what the task has used up so far. */
const judge = <S extends TaskState, X extends TaggedEvent>(
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

/** One agent, run to its end and judged; the result is null if another agent is asked next. */
const asked = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: ResultOrder) {
    const progress = progressIn(driver, order)
    const agent = progress.agent ?? driver.state.agents.agents.length + 1
    const preamble = preambleOf(progress, order.task, agent)
    const { driver: ran, ended, over } = yield* runToEnd(driver, orderOf(order, agent, preamble))
    const changed: ResultOutcome | null = over?._tag === "Stopped" ? null : changedBeside(ran, agent)
    if (over !== null) return { driver: ran, result: changed ?? (over satisfies ResultOutcome) }
    const { ending, remedy } = ended
    const { role, taskId } = order.task
    const { read, started: { kind } } = agentOf(ran, agent) ?? { started: { kind: "command" } as const }
    const worked = ending._tag === "Done" && kind === "codex" &&
      (order.answers?.(ending.message) === true || (yield* hasChanged(ran, agent)))
    const result = judgeAnswer({ role, taskId, kind, read, range: rangeOfWork(ran, agent), worked }, ending)
    const next = yield* judge(ran, order, agent, result)
    // The answer is kept: a later call goes on from it.
    if (changed !== null) return { driver: next, result: changed }
    const action = agentOf(next, agent)?.judged?.action ?? "block"
    if (action !== "accept" && action !== "remediate" && action !== "block") return { driver: next, result: null }
    const retried = isRetryPrompt(preamble)
    const judged: ResultOutcome = { _tag: "Judged", action, agent, result, ending, remedy, retried }
    return { driver: next, result: judged }
  }
)

/**
 * Asks for a task's result. An invalid result is asked for once more, a failed agent is replaced once, and a reviewer
 * who cannot answer is replaced by a fresh one. The caller fixes what the agent names as wrong, and then asks again
 * with `after` set to this agent.
 */
export const askForResult = Effect.fn("AskForResult.askForResult")(<S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  order: ResultOrder
) => untilResult(driver, (now) => Effect.map(asked(now, order), (turn): Turn<S, X, ResultOutcome> => turn)))
