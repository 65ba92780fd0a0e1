// LiveAgent: agents of one kind as real processes, each guarded by a wrapper that outlives whoever drives it.
import { Effect, Stream } from "effect"
import type { AgentTask } from "../../core/agent/Task.ts"
import type { AgentRef } from "../../core/run/Refs.ts"
import { Agent, AgentFault } from "../../services/Agent.ts"
import { Environment, withCallersPath } from "../../services/Environment.ts"
import { makeGuard } from "../process/Guard.ts"
import { type GuardFault, trySync } from "../process/GuardFault.ts"
import { noteStrike } from "../process/Journal.ts"
import { doing, isInside, jobOf, orderOf, prepare } from "./AgentJobs.ts"
import { followed } from "./Following.ts"
import { hearings } from "./Hearings.ts"
import type { Program } from "./Program.ts"
import { transcript } from "./Silence.ts"

const faultOf = ({ reason, what }: GuardFault): AgentFault => new AgentFault({ what, reason })

/** Refuses an agent that may write where this program keeps its own records. */
const checkState = Effect.fnUntraced(function*(attempt: AgentRef, { cwd, sandbox }: AgentTask) {
  if (sandbox === "read-only") return
  const { root } = attempt.run
  const what = doing("starting", attempt)
  const inside = yield* Effect.mapError(trySync(what, () => isInside(root, cwd)), faultOf)
  if (inside) return yield* new AgentFault({ what, reason: { _tag: "StateInWorktree", root, worktree: cwd } })
})

/** The agents of a kind on this machine. */
export const makeAgent = (program: Program): typeof Agent.Service => {
  const { confined, kind, literal = (prompt: string) => prompt } = program
  const guard = makeGuard(transcript)
  return Agent.of({
    kind,
    confined,
    start: Effect.fn("Agent.start")(function*(attempt, task, turn) {
      const outside = yield* Environment
      const environment = yield* withCallersPath(outside)
      const what = doing("starting", attempt)
      const attempted = <A>(step: () => A) => Effect.mapError(trySync(what, step), faultOf)
      yield* checkState(attempt, task)
      const prepared = yield* attempted(() => prepare(attempt, task, literal(turn.prompt)))
      const order = yield* attempted(() => orderOf(program, { attempt, task, turn, prepared, environment }))
      // Codex runs programs outside its sandbox too, which must not come from the worktree that its agents write in.
      const variables = confined ? { ...order.environment, PATH: outside["PATH"] } : order.environment
      yield* Effect.mapError(guard.launch([{ ...order, environment: variables }], what), faultOf)
    }),
    follow: (attempt, limits) =>
      Stream.suspend(() => {
        const { hear, talks } = hearings[attempt.kind]
        return followed(guard, { attempt, limits, hearing: hear(), talks })
      }).pipe(
        Stream.mapError(faultOf),
        Stream.withSpan("Agent.follow")
      ),
    stop: Effect.fn("Agent.stop")(function*(attempts) {
      const jobs = attempts.map(jobOf)
      const what = `stopping ${attempts.length} agent(s)`
      const stopping = trySync(what, () => jobs.forEach(({ files }) => noteStrike(files.journal, "asked"))).pipe(
        Effect.andThen(guard.stop(jobs, what))
      )
      return yield* Effect.mapError(stopping, faultOf)
    })
  })
}
