// StartAttempt: starts an attempt of an agent.
// First it is committed, then it is started: no agent runs that the log does not know.
import { Effect } from "effect"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import { type AgentState, usageOf } from "../core/agent/AgentsState.ts"
import { withBudget } from "../core/agent/Budget.ts"
import { firmerWords } from "../core/agent/Recover.ts"
import type { AttemptCause, TaskEventOf } from "../core/agent/TaskEvent.ts"
import { Agent } from "../services/Agent.ts"
import { Git } from "../services/Git.ts"
import { note } from "../services/Note.ts"
import { RunStore } from "../services/RunStore.ts"
import { agentOf, type AgentOrder } from "./AgentOrder.ts"
import { commitDriver, type Driver } from "./Driver.ts"

/** Which attempt is started: its number, why, and the thread that it continues. */
export interface Starting {
  readonly attempt: number
  readonly cause: AttemptCause
  readonly thread: string | null
}

/** The whole prompt of the task, or the compacted one from the moment on that the whole one did not fit. */
const wholePrompt = <S extends DrivenState, X extends Tagged>(
  driver: Driver<S, X>,
  { agent, budget, compact, task }: AgentOrder
): string => {
  const tooLong = agentOf(driver, agent)?.failures.find(({ next }) => next === "Compacted")
  const prompt = tooLong === undefined || compact === undefined
    ? task.prompt
    : compact(tooLong.contextWindow ?? null)
  return withBudget(prompt, usageOf(driver.state.agents), budget ?? null)
}

const promptOf = <S extends DrivenState, X extends Tagged>(
  driver: Driver<S, X>,
  order: AgentOrder,
  { cause, thread }: Starting
): string => {
  if (cause === "Continued" && thread !== null) return "continue"
  if (cause !== "Firmer") return wholePrompt(driver, order)
  const asked = (agentOf(driver, order.agent)?.failures ?? []).filter(({ next }) => next === "Firmer").length
  const words = firmerWords(asked - 1)
  return thread === null ? `${words}\n\n${wholePrompt(driver, order)}` : words
}

const before = Effect.fnUntraced(function*(one: AgentState | null, { looks, mustWork, task }: AgentOrder) {
  if (looks !== true && mustWork !== true) return {}
  // A later attempt may go on from what an earlier one saw.
  const seen = looks === true ? one?.started.before : undefined
  const identity = seen ?? (yield* (yield* Git).identity(task.cwd, { _tag: "Uncommitted" }, null))
  return { before: identity } satisfies Pick<TaskEventOf<"AgentStarted">, "before">
})

/** Commits an attempt and starts it; returns the stream and the attempt's id. LogConflict: another was first. */
export const startAttempt = Effect.fn("StartAttempt.startAttempt")(
  function*<S extends DrivenState, X extends Tagged>(driver: Driver<S, X>, order: AgentOrder, starting: Starting) {
    const store = yield* RunStore
    const port = yield* Agent
    const { agent, task } = order
    const { attempt, cause, thread } = starting
    const prompt = promptOf(driver, order, starting)
    const digest = yield* store.keepText(driver.ref, prompt)
    const id = yield* store.newAttemptId
    const started: TaskEventOf<"AgentStarted"> = {
      _tag: "AgentStarted",
      agent,
      attempt,
      id,
      cause,
      kind: port.kind,
      role: task.role,
      taskId: task.taskId,
      sandbox: task.sandbox,
      effort: task.effort,
      model: task.model,
      thread,
      prompt: digest,
      ...(yield* before(agentOf(driver, agent), order))
    }
    // Between the commit and the start no signal may step in: a committed attempt is a started one.
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const next = yield* commitDriver(driver, [started])
      yield* port.start({ run: driver.ref, agent, attempt, id, kind: port.kind }, task, { thread, prompt })
      yield* note("started an agent", { run: driver.ref.runId, agent, attempt, cause })
      return { driver: next, id }
    }))
  }
)
