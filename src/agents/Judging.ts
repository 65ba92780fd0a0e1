// Judging: what every question to agents shares: an answer is judged once, and agents are asked until one holds.
import { Effect } from "effect"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { TaskEventOf } from "../core/agent/TaskEvent.ts"
import { brief } from "../core/text/Untrusted.ts"
import { note } from "../services/Note.ts"
import { agentOf, AgentTaken } from "./AgentOrder.ts"
import { commitDriver, type Driver, refreshDriver, transactDriver } from "./Driver.ts"

/** What is said of an answer. */
export type Judgement = Omit<TaskEventOf<"ResultJudged">, "_tag" | "agent">

// A message may be wrong in any number of ways, and an event has room for a few of them.
const bounds = { problems: 20, problem: 400 } as const

/** Commits what follows from an agent's answer, unless it was judged before. The stream as it is then decides. */
export const judgeOnce = <S extends DrivenState, X extends Tagged>(
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

/** The stream after an agent was asked, and the result; null where another agent is asked next. */
export interface Turn<S extends DrivenState, X extends Tagged, A> {
  readonly driver: Driver<S, X>
  readonly result: A | null
}

/** Asks agents, one after the other, until there is a result. */
export const untilResult = Effect.fnUntraced(function*<S extends DrivenState, X extends Tagged, A, E, R>(
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
