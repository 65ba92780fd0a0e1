// Attempt: how an attempt is started, settled once with the reason of what follows, and stopped.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { settleAttempt, startAttempt, stopAgents } from "../../../src/agent/Attempt.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { lives, ScriptedAgent, World } from "../../../src/testing.ts"
import { textName } from "../../../src/run/LongText.ts"
import type { AgentEnded } from "../../../src/agent/Agent.ts"
import { digest, runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { committed, events, failures, history, order, ran, scripted, workers } from "../../support/agents.ts"

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
    assert.deepStrictEqual(prompts, ["Fix the bound."])
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

  it("with a budget reads how much of it is used", async () => {
    const prompts = await onMachine(Effect.gen(function*() {
      yield* scripted(() =>
        ScriptedAgent.answers("Done.", { usage: { input: 900, cached: 100, output: 34, reasoning: 3 } })
      )
      yield* ran(order({ budget: 5_000 }))
      yield* ran(order({ agent: 2, budget: 5_000 }))
      return (yield* workers).map(({ prompt }) => prompt)
    }))
    assert.deepStrictEqual(prompts, [
      "Fix the bound.\n\nToken usage: 0/5000\n",
      "Fix the bound.\n\nToken usage: 934/5000\n"
    ])
  })

  it("that is asked more firmly without a thread gets the whole prompt too", async () => {
    const prompts = await onMachine(Effect.gen(function*() {
      yield* scripted(() => ScriptedAgent.answers("Plan:", { thread: null }))
      yield* ran(order({ mustWork: true }))
      return (yield* workers).map(({ prompt }) => prompt)
    }))
    assert.match(prompts[1] ?? "", /^Your answer is a plan.*\n\nFix the bound\.$/)
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

const ended = (change: Partial<AgentEnded> = {}): AgentEnded => ({
  ending: { _tag: "Done", message: "Done." },
  message: "Done.",
  threadId: "t",
  usage: null,
  turn: "completed",
  contextWindow: null,
  transcript: digest,
  ...change
})

/** What the log holds after the attempt was settled with each of these ends. */
const settled = (...all: ReadonlyArray<AgentEnded>) =>
  onMachine(Effect.gen(function*() {
    const begun = yield* startAttempt(yield* openDriver(runRef()), order(), {
      attempt: 1,
      cause: "First",
      thread: "before"
    })
    yield* settleAttempt(begun.driver, order(), "another attempt", ended())
    for (const one of all) yield* settleAttempt(begun.driver, order(), begun.id, one)
    return (yield* events).slice(1)
  }))

describe("an attempt that ended", () => {
  it("is settled by its own id alone", async () => assert.deepStrictEqual(await settled(), []))

  it("is settled once, by the first end", async () => {
    const log = await settled(ended(), ended({ ending: failures.Crashed }))
    assert.deepStrictEqual(log.map(({ _tag }) => _tag), ["AgentFinished"])
  })

  it("is recorded with its last words, the context window, and why another one follows", async () => {
    const [failed] = await settled(ended({ ending: failures.Overloaded, contextWindow: 1000, threadId: null }))
    assert.deepInclude(failed, {
      _tag: "AgentAttemptFailed",
      failure: "Overloaded",
      message: { text: "its last message" },
      contextWindow: 1000,
      threadId: "before",
      next: "Continued",
      because: "the model's service is overloaded (1 of 3 attempts)"
    })
  })

  it("for good is recorded with its status and its remedy", async () => {
    const [login] = await settled(ended({ ending: failures.Login }))
    assert.deepInclude(login, { _tag: "AgentFailed", failure: "Login", exit: null })
    assert.include(login?._tag === "AgentFailed" ? login.remedy : "", "codex login")
    const [crashed] = await settled(ended({ ending: failures.Crashed }))
    assert.deepInclude(crashed, { failure: "Crashed", exit: 1 })
  })
})

const { answers, fails, inOrder } = ScriptedAgent
const stop = Effect.flatMap(openDriver(runRef()), (driver) => stopAgents(driver, "Stop"))

const begun = (after: number) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(ran())
    yield* Effect.sleep(after)
    return fiber
  })

const living = World.use(({ agents }) =>
  Effect.map(Ref.get(agents), (all) => all.filter((one) => lives(one, 10_000)).length)
)

describe("stopping the agents of a run", () => {
  it("ends them, also for a follower", async () => {
    const { left, log, result } = await onMachine(Effect.gen(function*() {
      yield* scripted(() => answers("Done.", { after: 600_000 }))
      const fiber = yield* begun(5_000)
      yield* stop
      const { result } = yield* Fiber.join(fiber)
      return { result, left: yield* living, log: yield* history }
    }))
    assert.deepStrictEqual(result, { _tag: "Stopped", cause: "Stop" })
    assert.strictEqual(left, 0)
    assert.deepStrictEqual(log.at(-1), "stopped 1.1 Stop")
  })

  it("leaves alone an agent whose driver was interrupted, until it is asked for", async () => {
    const left = await onMachine(Effect.gen(function*() {
      yield* scripted(() => answers("Done.", { after: 600_000 }))
      yield* Fiber.interrupt(yield* begun(5_000))
      const before = yield* living
      yield* stop
      return [before, yield* living]
    }))
    assert.deepStrictEqual(left, [1, 0])
  })

  it("ends the wait for the next attempt", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* scripted(inOrder(fails({ ...failures.RateLimited, after: 60_000 }), answers("Done.")))
      const fiber = yield* begun(5_000)
      yield* stop
      yield* Fiber.join(fiber)
      return yield* history
    }))
    assert.deepStrictEqual(log.slice(2), ["stopped 1.1 Stop"])
  })

  it("counts an answer that was given before", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* scripted(() => answers("Done.", { after: 10_000 }))
      yield* Fiber.interrupt(yield* begun(5_000))
      yield* Effect.sleep(10_000)
      yield* stop
      return yield* history
    }))
    assert.deepStrictEqual(log.at(-1), "finished 1.1 Done")
  })

  it("does nothing where nothing is under way", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* ran()
      yield* stop
      return yield* events
    }))
    assert.lengthOf(log, 2)
  })

  it("keeps an attempt from starting that was committed and not started yet", async () => {
    const { log, left } = await onMachine(Effect.gen(function*() {
      yield* ran(order())
      const started = (yield* events)[0]
      if (started?._tag !== "AgentStarted") throw new Error("expected a start")
      yield* committed({ ...started, agent: 2, id: "never" })
      yield* stop
      return { log: yield* history, left: yield* living }
    }))
    assert.deepStrictEqual(log.at(-1), "stopped 2.1 Stop")
    assert.strictEqual(left, 0)
  })
})
