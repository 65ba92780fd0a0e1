// SettleAttempt: records how an attempt of an agent ended: it is done, it failed for good, or another one follows.
// An attempt that another process has settled meanwhile is left as it is.
import { Clock, Effect } from "effect"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { AgentEnding, AgentFailure } from "../core/agent/AgentEnding.ts"
import type { AgentState } from "../core/agent/AgentsState.ts"
import { isAskedFirmer, recover } from "../core/agent/Recover.ts"
import type { TaskEvent } from "../core/agent/TaskEvent.ts"
import { keepLong } from "../runs/KeepLong.ts"
import type { AgentEnded } from "../services/Agent.ts"
import { Git } from "../services/Git.ts"
import { note } from "../services/Note.ts"
import { agentOf, type AgentOrder } from "./AgentOrder.ts"
import { commitDriver, type Driver, transactDriver } from "./Driver.ts"

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
  function*<S extends DrivenState, X extends Tagged>(
    driver: Driver<S, X>,
    order: AgentOrder,
    one: AgentState,
    ended: AgentEnded
  ) {
    const { contextWindow, ending, read, transcript, usage } = ended
    const { agent, attempt, id, kind, thread } = one.started
    const threadId = ended.threadId ?? thread
    const message = yield* keepLong(driver.ref, ending.message)
    const told = { agent, attempt, message, threadId, usage, transcript, ...(read === undefined ? {} : { read }) }
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
        ? { _tag: "AgentAttemptFailed", ...told, ...window, exit, ...again } satisfies TaskEvent
        : { _tag: "AgentFinished", ...told, ending: ending._tag } satisfies TaskEvent
    }
    const now = yield* Clock.currentTimeMillis
    const { compact, waitQuota = 0 } = order
    const given = { waitQuota, canCompact: compact !== undefined, now, zone: zoneAt(now) }
    const recovery = recover(one.failures, { kind, id, failure: ending, thread: threadId }, given)
    const failure = ending._tag
    if (recovery._tag === "Stop") {
      return { _tag: "AgentFailed", ...told, failure, exit, remedy: recovery.remedy } satisfies TaskEvent
    }
    const { because, next, wait } = recovery
    return { _tag: "AgentAttemptFailed", ...told, ...window, failure, exit, next, wait, because } satisfies TaskEvent
  }
)

/** Settles the attempt with this id, if it is still under way. */
export const settleAttempt = Effect.fn("SettleAttempt.settleAttempt")(
  <S extends DrivenState, X extends Tagged>(driver: Driver<S, X>, order: AgentOrder, id: string, ended: AgentEnded) =>
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
