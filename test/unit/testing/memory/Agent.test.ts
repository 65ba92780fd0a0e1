// Agent: scripted agents tell their events at their instants, end by themselves, by a limit or by a stop, and survive.
import { Clock, Effect, Fiber, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { Agent, type AgentUpdate } from "../../../../src/agent/Agent.ts"
import { Memory, ScriptedAgent } from "../../../../src/testing.ts"
import { agentLayer } from "../../../../src/testing/memory/Agent.ts"
import { scripted, task } from "../../agent/orders.ts"
import { runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const attempt = { run: runRef(), agent: 1, attempt: 1, id: "id-1", kind: "codex" } as const
const turn = { thread: null, prompt: "Mend it." }
const { limits } = task()

const followed = Effect.gen(function*() {
  const from = yield* Clock.currentTimeMillis
  const told = yield* Stream.runCollect((yield* Agent).follow(attempt, limits))
  return told.map((one) => ({ ...one, seen: one._tag === "Heard" ? one.at - from : 0 }))
})
const started = (script: ScriptedAgent.ScriptedAgent) =>
  Effect.gen(function*() {
    yield* scripted(() => script)
    yield* (yield* Agent).start(attempt, task(), turn)
  })
const ending = (told: ReadonlyArray<AgentUpdate>) => {
  const last = told.at(-1)
  return last?._tag === "Ended" ? last.ended.ending : last?._tag
}

describe("a scripted agent", () => {
  it("tells its events at their instants, then its one ending", async () => {
    const { after, told } = await onMachine(Effect.gen(function*() {
      const from = yield* Clock.currentTimeMillis
      const usage = { input: 5, cached: 1, output: 2, reasoning: 0 }
      yield* started(ScriptedAgent.answers("Done.", { after: 30_000, usage }))
      return { told: yield* followed, after: (yield* Clock.currentTimeMillis) - from }
    }))
    assert.deepStrictEqual(told.map((one) => one._tag === "Heard" ? [one.event._tag, one.seen] : one._tag), [
      ["ThreadStarted", 0],
      ["TurnStarted", 0],
      ["ItemCompleted", 30_000],
      ["TurnCompleted", 30_000],
      "Ended"
    ])
    assert.isAtLeast(after, 30_000)
    const last = told.at(-1)
    assert.deepInclude(last?._tag === "Ended" ? last.ended : {}, { message: "Done.", threadId: "thread-1" })
  })

  it("is told whole to whoever follows it later, and is started once", async () => {
    const [one, other] = await onMachine(Effect.gen(function*() {
      yield* started(ScriptedAgent.answers("FAILED: no."))
      const one = yield* followed
      yield* (yield* Agent).start(attempt, task(), turn)
      return [one, yield* followed]
    }))
    assert.deepStrictEqual(one.map(({ _tag }) => _tag), other.map(({ _tag }) => _tag))
    assert.include(ending(one), { _tag: "Reported" })
  })

  it.each([["codex", "Idle"], ["command", "Deadline"]] as const)(
    "that is silent and of kind %s is ended as %s",
    async (kind, tag) => {
      const told = await onMachine(Effect.andThen(started(ScriptedAgent.silentAgent), followed), {
        agent: agentLayer({ kind })
      })
      assert.include(ending(told), { _tag: tag })
    }
  )

  it("that never begins is fenced, and can never start any more", async () => {
    const told = await onMachine(Effect.gen(function*() {
      const told = yield* followed
      yield* started(ScriptedAgent.answers("Done."))
      return [...told, ...(yield* followed)]
    }))
    assert.deepStrictEqual(told.map(({ _tag }) => _tag), ["NeverBegan", "NeverBegan"])
  })

  it("ends for whoever follows it when it is stopped, and counts as one that lived", async () => {
    const { count, none, told } = await onMachine(Effect.gen(function*() {
      yield* started(ScriptedAgent.answers("Done.", { after: 600_000, thread: "t" }))
      const fiber = yield* Effect.forkChild(followed)
      yield* Effect.sleep(1000)
      const count = yield* (yield* Agent).stop([attempt])
      return { count, none: yield* (yield* Agent).stop([attempt]), told: yield* Fiber.join(fiber) }
    }))
    assert.deepStrictEqual([count, none], [1, 0])
    assert.include(ending(told), { _tag: "Crashed", exit: 143 })
  })

  it("survives whoever follows it", async () => {
    const told = await onMachine(Effect.gen(function*() {
      yield* started(ScriptedAgent.answers("Done.", { after: 10_000 }))
      const fiber = yield* Effect.forkChild(followed)
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(fiber)
      return yield* followed
    }))
    assert.include(ending(told), { _tag: "Done" })
  })
})

it("is what it is made as", async () =>
  assert.deepStrictEqual(
    await onMachine(Effect.map(Agent, ({ confined, kind }) => ({ confined, kind })), {
      agent: Memory.agents({ kind: "claude", confined: false })
    }),
    { confined: false, kind: "claude" }
  ))
