// RunAgent: runs one agent of a run to its end, through as many attempts as recovery allows.
// Each turn decides from the log alone, so any later call continues where this one ended, and nothing runs twice.
import { Clock, Effect, Option, Stream } from "effect"
import type { TaggedEvent } from "../log/StreamKind.ts"
import type { AgentState } from "./State.ts"
import { loggedEnding } from "./Recovery.ts"
import type { TaskEventOf } from "./Event.ts"
import { Agent, type AgentEnded, type AgentUpdate } from "./Agent.ts"
import { LogConflict } from "../log/EventLog.ts"
import { note, recovered } from "../platform/Note.ts"
import { agentOf, type AgentOrder, type AgentResult, AgentTaken, lastAttempt } from "./Order.ts"
import { requireConsent } from "./Consent.ts"
import type { AgentLimits, AgentTask } from "./Task.ts"
import { type Driver, type DriverStream, refreshDriver, type TaskState } from "./TaskLog.ts"
import { afterWork, beforeWork } from "./SafeWork.ts"
import { settleAttempt, startAttempt, type AttemptStart } from "./Attempt.ts"

const noDigest = { algorithm: "sha256", hex: "", bytes: 0 } as const

/** The ending of an attempt that this call started and whose process never appeared. */
const neverBegan: AgentEnded = {
  ending: { _tag: "Crashed", message: "the agent's process never began", exit: null },
  message: null,
  threadId: null,
  usage: null,
  turn: "none",
  contextWindow: null,
  transcript: noDigest
}

/** What following an attempt needs of its order. */
type Followed = Pick<AgentOrder, "observe"> & { readonly task: Pick<AgentTask, "limits"> }

/** Follows the last attempt to its end. Null: its process never began and never will. */
const follow = Effect.fnUntraced(
  function*(
    driver: DriverStream,
    { observe, task }: Followed,
    one: AgentState
  ) {
    const port = yield* Agent
    const tell = (update: AgentUpdate) =>
      update._tag === "Heard" && observe !== undefined ? observe(update) : Effect.void
    const last = yield* port.follow(lastAttempt(driver.ref, one), task.limits).pipe(Stream.tap(tell), Stream.runLast)
    if (Option.isNone(last) || last.value._tag === "Heard") {
      return yield* Effect.die(new Error("an agent's stream ended without its end"))
    }
    return last.value._tag === "Ended" ? last.value.ended : null
  }
)

/** The whole message of which the log keeps only the beginning, read again from what the attempt printed. */
const wholeMessage = (
  driver: DriverStream,
  { task }: Followed,
  one: AgentState,
  { message: { rest, text } }: TaskEventOf<"AgentFinished" | "AgentFailed">
) =>
  rest === undefined ? Effect.succeed(text) : follow(driver, { task }, one).pipe(
    Effect.map((ended) => ended === null ? text : ended.ending.message),
    Effect.tapError(recovered("the beginning of its message is taken for all of it")),
    Effect.orElseSucceed(() => text)
  )

/** The whole message of an agent that has finished; empty for any other. */
export const finishedMessage = (driver: DriverStream, agent: number, limits: AgentLimits) => {
  const one = agentOf(driver, agent)
  return one?.standing._tag === "Finished"
    ? wholeMessage(driver, { task: { limits } }, one, one.standing.finished)
    : Effect.succeed("")
}

const resultOf = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: AgentOrder, one: AgentState) {
    const { standing } = one
    if (standing._tag === "Stopped") return { _tag: "Stopped", cause: standing.cause } satisfies AgentResult
    const event = standing._tag === "Finished" ? standing.finished : standing._tag === "Failed" ? standing.failed : null
    if (event === null) return null
    const ending = loggedEnding(event, yield* wholeMessage(driver, order, one, event), order.task.limits)
    const { threadId, usage } = event
    const remedy = event._tag === "AgentFailed" ? event.remedy : null
    return { _tag: "Ended", ending, remedy, threadId, usage } satisfies AgentResult
  }
)

/** The next attempt, after the wait in the log; null while one runs. */
const nextAttempt = Effect.fnUntraced(function*(one: AgentState | null, { thread: begun }: AgentOrder) {
  if (one === null) return { attempt: 1, cause: "First", thread: begun ?? null } satisfies AttemptStart
  if (one.standing._tag !== "Waiting") return null
  const { next: cause, thread, until } = one.standing
  const left = until - (yield* Clock.currentTimeMillis)
  // If the clock was set back, the wait is not longer than planned.
  yield* Effect.sleep(Math.max(0, Math.min(left, one.failures.at(-1)?.wait ?? 0)))
  return { attempt: one.started.attempt + 1, cause, thread } satisfies AttemptStart
})

/** The stream, the id of an attempt that was started, and whether the snapshot before the next one is fresh. */
interface Begun<S extends TaskState, X extends TaggedEvent> {
  readonly driver: Driver<S, X>
  readonly id: string | null
  readonly isFresh: boolean
}

/**
 * Starts an attempt on a snapshotted worktree, or returns the stream with what was committed meanwhile, to decide
 * again.
 */
const started = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  order: AgentOrder,
  starting: AttemptStart,
  isFresh: boolean
) =>
  Effect.gen(function*() {
    // The log may have moved on while this call waited.
    const now = yield* refreshDriver(driver)
    if (now.head.seq !== driver.head.seq) return { driver: now, id: null, isFresh: false }
    const safe = yield* beforeWork(now, order, starting.attempt, isFresh)
    if (safe.head.seq !== now.head.seq) return { driver: safe, id: null, isFresh: true }
    return { ...(yield* startAttempt(safe, order, starting)), isFresh: false }
  }).pipe(
    Effect.catchIf(
      (error) => error instanceof LogConflict,
      (error) =>
        Effect.andThen(
          recovered("the driver's stream is read again")(error),
          Effect.map(refreshDriver(driver), (now) => ({ driver: now, id: null, isFresh: false }))
        )
    )
  )

const sameTask = ({ task }: AgentOrder, { started: { role, taskId } }: AgentState): boolean =>
  task.taskId === taskId && task.role === role

/** Runs an agent, or follows the one of that number in the log, to its end. Interrupting leaves it running. */
export const runAgent = Effect.fn("RunAgent.runAgent")(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: AgentOrder) {
    const port = yield* Agent
    let now = driver
    // The attempt that this call itself has started.
    let own: string | null = null
    // Whether this call has just taken the snapshot before the next attempt.
    let isFresh = false
    for (;;) {
      const one = agentOf(now, order.agent)
      if (one !== null && !sameTask(order, one)) {
        return yield* new AgentTaken({ agent: order.agent, taskId: one.started.taskId })
      }
      const result = one === null ? null : yield* resultOf(now, order, one)
      if (result !== null) return { driver: yield* afterWork(now, order), result }
      if (!port.confined) now = yield* requireConsent(now, "unsandboxed", order.allow ?? [])
      let next: AttemptStart | null = yield* nextAttempt(one, order)
      if (next === null && one !== null) {
        const { attempt, cause, id, thread } = one.started
        const ended = yield* follow(now, order, one)
        if (ended !== null || own === id) {
          now = yield* settleAttempt(now, order, id, ended ?? neverBegan)
          continue
        }
        yield* note("an attempt never began", { run: now.ref.runId, agent: order.agent, attempt })
        next = { attempt: attempt + 1, cause, thread }
      }
      if (next === null) continue
      // After `stop`, running agents are ended and none begins.
      if (now.state.stopAsked) return { driver: now, result: { _tag: "Stopped", cause: "Stop" } satisfies AgentResult }
      const begun: Begun<S, X> = yield* started(now, order, next, isFresh)
      now = begun.driver
      own = begun.id
      isFresh = begun.isFresh
    }
  }
)
