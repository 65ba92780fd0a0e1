// Attempt: one attempt of an agent: started, settled, stopped.
import { Clock, Effect, Option, Stream } from "effect"
import { Git } from "../code/Git.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { note } from "../platform/Note.ts"
import { keepLong } from "../run/LongText.ts"
import { RunStore } from "../run/RunStore.ts"
import { Agent, type AgentEnded } from "./Agent.ts"
import type { AgentEnding, AgentFailure } from "./AgentEnding.ts"
import type { AttemptCause, TaskEvent, TaskEventOf } from "./Event.ts"
import { agentOf, type AgentOrder, lastAttempt } from "./Order.ts"
import { withBudget } from "./PromptBudget.ts"
import { firmerWords, isAskedFirmer, recover } from "./Recovery.ts"
import { type AgentState, underWay, usageOf } from "./State.ts"
import { defaultLimits } from "./Task.ts"
import { commitDriver, type Driver, type TaskState, transactDriver } from "./TaskLog.ts"

// Starts an attempt of an agent.
// It is committed before it is started: no agent runs that the log does not know.

/** Which attempt is started: its number, why, and the thread that it continues. */
export interface AttemptStart {
  readonly attempt: number
  readonly cause: AttemptCause
  readonly thread: string | null
}

/** The whole prompt of the task, or the compacted one once the whole one did not fit. */
const wholePrompt = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  { agent, budget, compact, task }: AgentOrder
): string => {
  const tooLong = agentOf(driver, agent)?.failures.find(({ next }) => next === "Compacted")
  const prompt = tooLong === undefined || compact === undefined
    ? task.prompt
    : compact(tooLong.contextWindow ?? null)
  return withBudget(prompt, usageOf(driver.state.agents), budget ?? null)
}

const promptOf = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  order: AgentOrder,
  { cause, thread }: AttemptStart
): string => {
  if (cause === "Continued" && thread !== null) return "continue"
  if (cause !== "Firmer") return wholePrompt(driver, order)
  const asked = (agentOf(driver, order.agent)?.failures ?? []).filter(({ next }) => next === "Firmer").length
  const words = firmerWords(asked - 1)
  return thread === null ? `${words}\n\n${wholePrompt(driver, order)}` : words
}

const before = Effect.fnUntraced(function*(one: AgentState | null, { looks, mustWork, task }: AgentOrder) {
  if (looks !== true && mustWork !== true) return {}
  // A later attempt may continue from what an earlier one saw.
  const seen = looks === true ? one?.started.before : undefined
  const identity = seen ?? (yield* (yield* Git).identity(task.cwd, { _tag: "Uncommitted" }, null))
  return { before: identity } satisfies Pick<TaskEventOf<"AgentStarted">, "before">
})

/**
 * Commits an attempt and starts it; returns the stream and the attempt's id. LogConflict if another process was first.
 */
export const startAttempt = Effect.fn("Attempt.startAttempt")(
  function*<S extends TaskState, X extends TaggedEvent>(
    driver: Driver<S, X>,
    order: AgentOrder,
    starting: AttemptStart
  ) {
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
      ...(task.round === undefined ? {} : { inRound: task.round }),
      sandbox: task.sandbox,
      effort: task.effort,
      model: task.model,
      thread,
      prompt: digest,
      ...(yield* before(agentOf(driver, agent), order))
    }
    // No signal may come between the commit and the start: a committed attempt is a started one.
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const next = yield* commitDriver(driver, [started])
      yield* port.start({ run: driver.ref, agent, attempt, id, kind: port.kind }, task, { thread, prompt })
      yield* note("started an agent", { run: driver.ref.runId, agent, attempt, cause })
      return { driver: next, id }
    }))
  }
)

// Records how an attempt of an agent ended: it is done, it failed for good, or another one follows.
// An attempt that another process has settled is left as it is.

/** How far the clock of this place is ahead of UTC, in milliseconds. */
const zoneAt = (now: number): number => -60_000 * new Date(now).getTimezoneOffset()

const asksFirmer = Effect.fnUntraced(function*(order: AgentOrder, { failures, started }: AgentState, message: string) {
  if (order.mustWork !== true || started.before === undefined) return false
  const after = yield* (yield* Git).identity(order.task.cwd, { _tag: "Uncommitted" }, null)
  return isAskedFirmer(failures, message, started.before, after)
})

const isFailure = (ending: AgentEnding): ending is AgentFailure => ending._tag !== "Done" && ending._tag !== "Reported"

/** The event that settles the attempt under way. */
const settled = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(
    driver: Driver<S, X>,
    order: AgentOrder,
    one: AgentState,
    ended: AgentEnded
  ) {
    const { contextWindow, ending, read, transcript, usage } = ended
    const { agent, attempt, id, kind, thread } = one.started
    const threadId = ended.threadId ?? thread
    const message = yield* keepLong(driver.ref, ending.message)
    const answer = { agent, attempt, message, threadId, usage, transcript, ...(read === undefined ? {} : { read }) }
    const exit = ending._tag === "Crashed" ? ending.exit : null
    const window = contextWindow === null ? {} : { contextWindow }
    if (!isFailure(ending)) {
      const firmer = ending._tag === "Done" && (yield* asksFirmer(order, one, ending.message))
      const again = {
        failure: "PlanOnly",
        next: "Firmer",
        wait: 0,
        because: "it planned, and no file changed"
      } as const
      return firmer
        ? { _tag: "AgentAttemptFailed", ...answer, ...window, exit, ...again } satisfies TaskEvent
        : { _tag: "AgentFinished", ...answer, ending: ending._tag } satisfies TaskEvent
    }
    const now = yield* Clock.currentTimeMillis
    const { compact, waitQuota = 0 } = order
    const given = { waitQuota, canCompact: compact !== undefined, now, zone: zoneAt(now) }
    const recovery = recover(one.failures, { kind, id, failure: ending, thread: threadId }, given)
    const failure = ending._tag
    if (recovery._tag === "Stop") {
      return { _tag: "AgentFailed", ...answer, failure, exit, remedy: recovery.remedy } satisfies TaskEvent
    }
    const { because, next, wait } = recovery
    return { _tag: "AgentAttemptFailed", ...answer, ...window, failure, exit, next, wait, because } satisfies TaskEvent
  }
)

/** Settles the attempt with this id, if it is still under way. */
export const settleAttempt = Effect.fn("Attempt.settleAttempt")(
  <S extends TaskState, X extends TaggedEvent>(
    driver: Driver<S, X>,
    order: AgentOrder,
    id: string,
    ended: AgentEnded
  ) =>
    transactDriver(
      driver,
      Effect.fnUntraced(function*(now: Driver<S, X>) {
        const one = agentOf(now, order.agent)
        if (one === null || one.standing._tag !== "Running" || one.standing.id !== id) return now
        const event = yield* settled(now, order, one, ended)
        const next = yield* commitDriver(now, [event])
        const { agent, attempt } = one.started
        yield* note("an attempt of an agent ended", { run: now.ref.runId, agent, attempt, as: event._tag })
        return next
      })
    )
)

// Ends the agents of a run that are under way. An agent that had already ended still counts.

type Cause = TaskEventOf<"AgentStopped">["cause"]

/** The event that ends an agent: it finished before it was stopped, or it was stopped. */
const ended = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, one: AgentState, cause: Cause) {
    const { agent, attempt } = one.started
    const stopped = { _tag: "AgentStopped", agent, attempt, cause } satisfies TaskEventOf<"AgentStopped">
    if (one.standing._tag !== "Running") return stopped
    const last = yield* Stream.runLast((yield* Agent).follow(lastAttempt(driver.ref, one), defaultLimits))
    if (Option.isNone(last) || last.value._tag !== "Ended") return stopped
    const { ending, threadId, transcript, usage } = last.value.ended
    if (ending._tag !== "Done" && ending._tag !== "Reported") return stopped
    const message = yield* keepLong(driver.ref, ending.message)
    const answer = { agent, attempt, message, threadId, usage, transcript }
    return { _tag: "AgentFinished", ...answer, ending: ending._tag } satisfies TaskEventOf<"AgentFinished">
  }
)

/** Ends every agent of the run that runs or waits, whoever started it, and records it. Afterwards none is under way. */
export const stopAgents = Effect.fn("Attempt.stopAgents")(<S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  cause: Cause
) =>
  transactDriver(
    driver,
    Effect.fnUntraced(function*(now: Driver<S, X>) {
      const all = underWay(now.state.agents)
      if (all.length === 0) return now
      yield* (yield* Agent).stop(all.map((one) => lastAttempt(now.ref, one)))
      return yield* commitDriver(now, yield* Effect.forEach(all, (one) => ended(now, one, cause)))
    })
  )
)
