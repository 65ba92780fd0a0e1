// Agent: the agents and tests in memory: scripted events and endings that are due at instants.
// There is no fiber and no process: whether an agent runs is read off the clock, so it survives its driver.
import { Clock, Deferred, Effect, Layer, Ref, Stream } from "effect"
import { Agent, type AgentEnded, type AgentUpdate } from "../../agent/Agent.ts"
import { type AgentEnding, failureOf } from "../../agent/AgentEnding.ts"
import type { AgentLimits } from "../../agent/Task.ts"
import { evolveStream, emptyStream } from "../../agent/stream/AgentStream.ts"
import { Tests } from "../../drive/Tests.ts"
import { type AgentKind, type AgentRef, runText, type TestRef } from "../../log/Refs.ts"
import type { ScriptedAgent } from "../ScriptedAgent.ts"
import { lives, type Worker, World } from "../World.ts"
import { digestOf } from "./Reviewers.ts"

// As long as a driver that has committed an attempt may still be about to start it.
const fenceAfter = 3000
const terminated = 143

/** When an agent ends, counted from its start, and how: by itself, or by the first limit that it exceeds. */
const endOf = ({ after, ending, events }: ScriptedAgent, kind: AgentKind, limits: AgentLimits) => {
  const ends: Array<{ readonly after: number; readonly ending: AgentEnding }> = [{ after, ending }, {
    after: limits.timeout,
    ending: { _tag: "Deadline", message: "the agent ran out of time", after: limits.timeout }
  }]
  const heard = kind === "command" ? [] : [0, ...events.map((one) => one.after)]
  for (const [i, last] of heard.entries()) {
    const limit = i === 0 ? limits.first : limits.idle
    const next = heard[i + 1] ?? after
    if (next - last <= limit) continue
    ends.push({ after: last + limit, ending: { _tag: "Idle", message: "the agent showed no progress", after: limit } })
  }
  return ends.reduce((one, other) => other.after < one.after ? other : one)
}

const over = (worker: Worker): number => worker.stoppedAt ?? worker.endsAt

/** The events that an agent has printed by an instant, from the first. */
const heardBy = ({ scripted, startedAt, ...worker }: Worker, now: number) =>
  scripted.events
    .map(({ after, event }) => ({ event, at: startedAt + after }))
    .filter(({ at }) => at <= now && at <= (worker.stoppedAt ?? worker.endsAt))

const endedOf = (worker: Worker): AgentEnded => {
  const heard = heardBy(worker, over(worker)).map(({ event }) => event)
  const { contextWindow, message, threadId, turn, usage } = heard.reduce(evolveStream, emptyStream)
  return {
    ending: worker.stoppedAt === null ? worker.ending : failureOf("", terminated),
    message,
    threadId,
    usage,
    turn,
    contextWindow,
    transcript: digestOf(JSON.stringify(heard))
  }
}

const make = (kind: AgentKind, confined: boolean) =>
  Effect.gen(function*() {
    const { agentScript, agents, code, witnessed } = yield* World
    // The attempts that can never start any more.
    const fenced = yield* Ref.make<ReadonlySet<string>>(new Set())
    const found = ({ id }: AgentRef) =>
      Effect.map(Ref.get(agents), (all) => all.find(({ attempt }) => attempt.id === id) ?? null)
    const fence = (id: string) => Ref.update(fenced, (all) => new Set([...all, id]))

    const start: Agent["Service"]["start"] = (attempt, task, turn) =>
      witnessed(
        "Agent.start",
        Effect.gen(function*() {
          if ((yield* Ref.get(fenced)).has(attempt.id) || (yield* found(attempt)) !== null) return
          const scripted = (yield* Ref.get(agentScript))(attempt, task, turn, (yield* Ref.get(agents)).length)
          const now = yield* Clock.currentTimeMillis
          const { after, ending } = endOf(scripted, kind, task.limits)
          const stopped = yield* Deferred.make<void>()
          const worker: Worker = {
            attempt,
            task,
            turn,
            scripted,
            startedAt: now,
            endsAt: now + after,
            ending,
            stoppedAt: null,
            stopped
          }
          yield* Ref.update(agents, (all) => [...all, worker])
          if (scripted.edits !== undefined) yield* Ref.set(code, scripted.edits)
        })
      )

    /** The attempt's worker once there is one; null once it is sure that there never will be. */
    const awaited = (attempt: AgentRef) =>
      Effect.gen(function*() {
        const from = yield* Clock.currentTimeMillis
        for (;;) {
          const worker = yield* found(attempt)
          if (worker !== null || (yield* Ref.get(fenced)).has(attempt.id)) return worker
          if ((yield* Clock.currentTimeMillis) - from >= fenceAfter) yield* fence(attempt.id)
          else yield* Effect.sleep(100)
        }
      })

    /** What is printed after `shown` events, once there is anything. */
    const pull = (attempt: AgentRef, shown: number) =>
      Effect.gen(function*() {
        for (;;) {
          const worker = yield* found(attempt)
          if (worker === null) return yield* Effect.die(new Error("unreachable: an agent that was started is kept"))
          const now = yield* Clock.currentTimeMillis
          const heard = heardBy(worker, now).slice(shown)
          if (heard.length > 0 || !lives(worker, now)) return { heard, worker, ended: !lives(worker, now) }
          const next = worker.scripted.events[shown]
          const due = Math.min(worker.endsAt, worker.startedAt + (next?.after ?? Infinity))
          yield* Effect.raceFirst(Effect.sleep(due - now), Deferred.await(worker.stopped))
        }
      })

    const updates = (attempt: AgentRef): Stream.Stream<AgentUpdate> => {
      const from = (shown: number): Stream.Stream<AgentUpdate> =>
        Stream.unwrap(Effect.map(pull(attempt, shown), ({ ended, heard, worker }) => {
          const events = heard.map(({ at, event }): AgentUpdate => ({ _tag: "Heard", event, at }))
          return ended
            ? Stream.fromIterable<AgentUpdate>([...events, { _tag: "Ended", ended: endedOf(worker) }])
            : Stream.concat(Stream.fromIterable(events), from(shown + events.length))
        }))
      return Stream.unwrap(
        Effect.map(awaited(attempt), (worker) =>
          worker === null ? Stream.succeed<AgentUpdate>({ _tag: "NeverBegan" }) : from(0))
      )
    }

    const stop: Agent["Service"]["stop"] = (attempts) =>
      witnessed(
        "Agent.stop",
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          const meant = new Set(attempts.map(({ id }) =>
            id
          ))
          const living = (yield* Ref.get(agents)).filter((one) => meant.has(one.attempt.id) && lives(one, now))
          yield* Effect.forEach(meant, fence)
          yield* Ref.update(agents, (all) => all.map((one) => living.includes(one) ? { ...one, stoppedAt: now } : one))
          yield* Effect.forEach(living, ({ stopped }) => Deferred.succeed(stopped, undefined))
          return living.length
        })
      )
    return Agent.of({ kind, confined, start, follow: (attempt) => updates(attempt), stop })
  })

/** Agents that follow the world's script: confined codex agents, unless the script says otherwise. */
export const agentLayer = (
  { confined = true, kind = "codex" }: { readonly kind?: AgentKind; readonly confined?: boolean } = {}
): Layer.Layer<Agent, never, World> => Layer.effect(Agent, make(kind, confined))

const keyOf = ({ run, test }: Pick<TestRef, "run" | "test">): string => `${runText(run)}/tests/${test}`

const makeTests = Effect.gen(function*() {
  const { testScript, tests, witnessed } = yield* World
  const update = (test: TestRef, at: number) =>
    Ref.update(tests, (all) => all.map((one) => keyOf(one.test) === keyOf(test) ? { ...one, stoppedAt: at } : one))

  return Tests.of({
    start: (test, { command }) =>
      witnessed(
        "Tests.start",
        Effect.gen(function*() {
          const nth = (yield* Ref.get(tests)).filter((one) => one.command === command).length + 1
          const scripted = (yield* Ref.get(testScript))(command, nth)
          const startedAt = yield* Clock.currentTimeMillis
          yield* Ref.update(tests, (all) => [...all, { test, command, scripted, startedAt, stoppedAt: null }])
        })
      ),
    follow: Effect.fnUntraced(function*(test) {
      for (;;) {
        const found = (yield* Ref.get(tests)).find((one) => keyOf(one.test) === keyOf(test))
        if (found === undefined || found.scripted === "lost") return null
        const { scripted, startedAt, stoppedAt } = found
        if (stoppedAt !== null) return { exit: 143, output: digestOf(""), tail: "" }
        const now = yield* Clock.currentTimeMillis
        if (scripted !== "hangs" && now >= startedAt + (scripted.millis ?? 0)) {
          const { exit, output = "" } = scripted
          return { exit, output: digestOf(output), tail: output }
        }
        yield* Effect.sleep(100)
      }
    }),
    stop: (all) =>
      witnessed(
        "Tests.stop",
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Effect.as(Effect.forEach(all, (test) => update(test, at)), all.length))
      ),
    place: (run, test) => keyOf({ run, test })
  })
})

export const testsLayer: Layer.Layer<Tests, never, World> = Layer.effect(Tests, makeTests)
