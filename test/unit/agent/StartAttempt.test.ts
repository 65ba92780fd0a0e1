// StartAttempt: what an attempt is told, and that its prompt is kept.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { startAttempt } from "../../../src/agent/Attempt.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { ScriptedAgent, World } from "../../../src/testing.ts"
import { textName } from "../../../src/run/LongText.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { committed, events, order, ran, scripted, workers } from "./orders.ts"

const first = { attempt: 1, cause: "First", thread: null } as const

describe("an attempt", () => {
  it("gets the task's prompt, which the run keeps by its digest", async () => {
    const { kept, log, prompts } = await onMachine(Effect.gen(function*() {
      yield* startAttempt(yield* openDriver(runRef()), order(), first)
      const log = yield* events
      const digest = log[0]?._tag === "AgentStarted" ? log[0].prompt : null
      const kept = yield* (yield* RunStore).digest(runRef(), textName(digest?.hex ?? ""))
      return { log, kept: [kept, digest], prompts: (yield* workers).map(({ prompt }) => prompt) }
    }))
    assert.deepStrictEqual(prompts, ["Mend the bound."])
    assert.isNotNull(kept[0])
    assert.deepStrictEqual(kept[0], kept[1])
    assert.notProperty(log[0], "before")
  })

  it("of work says what the worktree was before", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* startAttempt(yield* openDriver(runRef()), order({ mustWork: true }), first)
      return yield* events
    }))
    assert.deepInclude(log[0], { before: { _tag: "Known", head: "head", tree: "code-1", base: null } })
  })

  it("of a reviewer says what its first attempt may have seen", async () => {
    const seen = await onMachine(Effect.gen(function*() {
      const { driver } = yield* startAttempt(yield* openDriver(runRef()), order({ looks: true }), first)
      yield* World.use(({ code }) => Ref.set(code, "code-2"))
      yield* startAttempt(driver, order({ looks: true }), { attempt: 2, cause: "Continued", thread: "t" })
      return (yield* events).map((event) => event._tag === "AgentStarted" ? event.before : null)
    }))
    assert.deepInclude(seen[0], { tree: "code-1" })
    assert.deepStrictEqual(seen[1], seen[0])
  })

  it("with a budget is told how much of it is used", async () => {
    const prompts = await onMachine(Effect.gen(function*() {
      yield* scripted(() =>
        ScriptedAgent.answers("Done.", { usage: { input: 900, cached: 100, output: 34, reasoning: 3 } })
      )
      yield* ran(order({ budget: 5_000 }))
      yield* ran(order({ agent: 2, budget: 5_000 }))
      return (yield* workers).map(({ prompt }) => prompt)
    }))
    assert.deepStrictEqual(prompts, [
      "Mend the bound.\n\nToken usage: 0/5000\n",
      "Mend the bound.\n\nToken usage: 934/5000\n"
    ])
  })

  it("that is asked more firmly without a thread gets the whole prompt too", async () => {
    const prompts = await onMachine(Effect.gen(function*() {
      yield* scripted(() => ScriptedAgent.answers("Plan:", { thread: null }))
      yield* ran(order({ mustWork: true }))
      return (yield* workers).map(({ prompt }) => prompt)
    }))
    assert.match(prompts[1] ?? "", /^Your answer is a plan.*\n\nMend the bound\.$/)
  })

  it("is not started where another process committed first", async () => {
    const { error, started } = await onMachine(Effect.gen(function*() {
      const old = yield* openDriver(runRef())
      yield* committed({ _tag: "ConsentGiven", consent: "unsandboxed" })
      const error = yield* Effect.flip(startAttempt(old, order(), first))
      return { error, started: yield* workers }
    }))
    assert.instanceOf(error, LogConflict)
    assert.lengthOf(started, 0)
  })
})
