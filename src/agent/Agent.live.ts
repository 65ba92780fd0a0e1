// Agent.live: agents of one kind as guarded processes.
import { Effect, Stream } from "effect"
import type { AgentKind, AgentRef } from "../log/Refs.ts"
import { Environment, withCallersPath } from "../platform/Environment.ts"
import { makeGuard } from "../platform/guard/Guard.ts"
import { type GuardFault, trySync } from "../platform/guard/Job.ts"
import { noteStrike } from "../platform/guard/Journal.ts"
import type { StalledTail, Transcript } from "../platform/guard/Look.ts"
import { Agent, AgentFault } from "./Agent.ts"
import { noteDropped } from "./ClientVariables.live.ts"
import { followAttempt } from "./Following.live.ts"
import { doing, isInside, jobOf, orderOf, prepare, type Program } from "./Program.live.ts"
import type { AgentTask } from "./Task.ts"
import { decodeClaudeLine } from "./stream/ClaudeLines.ts"
import { decodeAgentLine } from "./stream/CodexLines.ts"
import { readWholeAnswer, type EventReader, readEventLines } from "./stream/Lines.ts"

// The end of a stream of events that shows no progress: the agent only reconnects to its model.

// A line is decoded only if it holds one of these words. Both decoders may try it: neither takes a line of the other's
// format for a reconnection.
const isStalled = (line: string): boolean => {
  if (!line.includes("Reconnecting") && !line.includes("api_retry")) return false
  return [decodeAgentLine(line), ...decodeClaudeLine(line)].some((event) =>
    event?._tag === "Error" && event.reconnecting
  )
}

const stalledTail = (text: string): StalledTail | null => {
  let end = text.length
  let waits = 0
  while (end > 0) {
    const start = end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1
    if (!isStalled(text.slice(start, end))) break
    waits += 1
    end = start
  }
  return waits === 0 ? null : { from: end, waits, cut: end === 0 }
}

/** How the silence of an agent is measured: by its events only, whatever it writes to standard error. */
export const transcript: Transcript = { file: "out", alone: true, stalledTail }

// How the output of each kind of agent is decoded, whichever kind the following process would start itself.

interface KindReader {
  /** Whether it prints events while it works, so that silence means something. */
  readonly talks: boolean
  readonly hear: () => EventReader
}

export const kindReaders: Record<AgentKind, KindReader> = {
  codex: {
    talks: true,
    hear: readEventLines((line) => {
      const event = decodeAgentLine(line)
      return event === null ? [] : [event]
    })
  },
  claude: { talks: true, hear: readEventLines(decodeClaudeLine) },
  command: { talks: false, hear: readWholeAnswer }
}

// Agents of one kind as real processes, each guarded by a wrapper that outlives whoever drives it.

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
      // Codex runs programs outside its sandbox too: they must not come from the worktree in which its agents write.
      const variables = confined ? { ...order.environment, PATH: outside["PATH"] } : order.environment
      yield* noteDropped(environment, variables)
      yield* Effect.mapError(guard.launch([{ ...order, environment: variables }], what), faultOf)
    }),
    follow: (attempt, limits) =>
      Stream.suspend(() => {
        const { hear, talks } = kindReaders[attempt.kind]
        return followAttempt(guard, { attempt, limits, hearing: hear(), talks })
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
