// Judging: what every question to agents shares: an answer is judged once, and agents are asked until one holds.
import { Effect } from "effect"
import type { TaskEventOf } from "../core/agent/TaskEvent.ts"
import { note } from "../services/Note.ts"
import { agentOf, AgentTaken } from "./AgentOrder.ts"
import { commitDriver, type Driver, refreshDriver, transactDriver } from "./Driver.ts"

/** What is said of an answer. */
export type Judgement = Omit<TaskEventOf<"ResultJudged">, "_tag" | "agent">

/** Commits what follows from an agent's answer, unless it was judged before. The stream as it is then decides. */
export const judgeOnce = (driver: Driver, agent: number, judge: (now: Driver) => Judgement) =>
  transactDriver(
    driver,
    Effect.fnUntraced(function*(now: Driver) {
      if (agentOf(now, agent)?.judged !== null) return now
      const judgement = judge(now)
      const { action, status } = judgement
      yield* note("judged an answer", { run: now.ref.runId, agent, action, status })
      return yield* commitDriver(now, [{ _tag: "ResultJudged", agent, ...judgement }])
    })
  )

/** The stream after an agent was asked, and the result; null where another agent is asked next. */
export interface Turn<A> {
  readonly driver: Driver
  readonly result: A | null
}

/** Asks agents, one after the other, until there is a result. */
export const untilResult = Effect.fnUntraced(function*<T extends Turn<unknown>, E, R>(
  driver: Driver,
  ask: (driver: Driver) => Effect.Effect<T, E, R>
) {
  let now = driver
  for (;;) {
    // The number may have gone to another task meanwhile.
    const { driver: next, result }: Turn<T["result"]> = yield* Effect.catchIf(
      ask(now),
      (error) => error instanceof AgentTaken,
      () => Effect.map(refreshDriver(now), (read) => ({ driver: read, result: null }))
    )
    if (result !== null) return { driver: next, result }
    now = next
  }
})
