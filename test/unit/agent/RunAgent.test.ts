// RunAgent: one agent through its attempts: what is committed when, what is waited for, what is adopted.
import { Clock, Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { runAgent } from "../../../src/agent/RunAgent.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { ScriptedAgent, World } from "../../../src/testing.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { failures } from "./failures.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { committed, events, history, order, ran, ranInOrder, scripted, task, workers } from "./orders.ts"

const { answers, fails, silentAgent } = ScriptedAgent

describe("an agent", () => {
  it("is in the log before it starts", async () => {
    const seen = await onMachine(Effect.gen(function*() {
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const log = yield* Effect.context<EventLog>()
      const look = Effect.flatMap(Effect.provideContext(Effect.orDie(history), log), (all) => Ref.set(seen, all))
      yield* World.use(({ witness }) =>
        Ref.set(witness, (call, when) => call === "Agent.start" && when === "before" ? look : Effect.void)
      )
      yield* ran()
      return yield* Ref.get(seen)
    }))
    assert.deepStrictEqual(seen, ["started 1.1 First"])
  })

  it("answers, and is told again without being started again", async () => {
    const { again, first, log } = await onMachine(Effect.gen(function*() {
      const first = (yield* ran()).result
      return { first, again: (yield* ran()).result, log: yield* history }
    }))
    assert.deepStrictEqual(log, ["started 1.1 First", "finished 1.1 Done"])
    assert.deepInclude(first, { _tag: "Ended", ending: { _tag: "Done", message: "Done." }, threadId: "thread-1" })
    assert.deepStrictEqual(again, first)
  })

  it("begins in the thread of an earlier agent, with its whole prompt, and is continued there", async () => {
    const { log, prompts } = await onMachine(Effect.gen(function*() {
      yield* ranInOrder([fails(failures.Crashed, { thread: null }), answers("Done.")], order({ thread: "thread-9" }))
      return { log: yield* history, prompts: yield* workers }
    }))
    assert.deepInclude(log, "started 1.1 First of thread-9")
    assert.deepInclude(log, "started 1.2 Continued of thread-9")
    assert.deepStrictEqual(prompts.map(({ prompt, thread }) => [prompt, thread]), [
      ["Mend the bound.", "thread-9"],
      ["continue", "thread-9"]
    ])
  })

  it("keeps a long answer beside the log, and tells all of it", async () => {
    const message = "long ".repeat(2_000)
    const { all, result } = await onMachine(Effect.gen(function*() {
      const { result } = yield* ranInOrder([answers(message)])
      return { result, all: yield* events }
    }))
    assert.strictEqual(result._tag === "Ended" ? result.ending.message : "", message)
    const finished = all.at(-1)
    assert.strictEqual(finished?._tag === "AgentFinished" ? finished.message.rest?.bytes : 0, message.length)
  })

  it("tells what it says to whoever observes it", async () => {
    const heard = await onMachine(Effect.gen(function*() {
      const heard = yield* Ref.make<ReadonlyArray<string>>([])
      yield* ran(order({ observe: ({ event }) => Ref.update(heard, (all) => [...all, event._tag]) }))
      return yield* Ref.get(heard)
    }))
    assert.deepStrictEqual(heard, ["ThreadStarted", "TurnStarted", "ItemCompleted", "TurnCompleted"])
  })
})

describe("an attempt that fails", () => {
  it("is followed by one that continues its thread with one word, after a wait that the log tells first", async () => {
    const { log, started, waited } = await onMachine(Effect.gen(function*() {
      const from = yield* Clock.currentTimeMillis
      const limited = { ...failures.RateLimited, after: 90_000 }
      yield* ranInOrder([fails(limited, { thread: "t" }), answers("Done.", { thread: "t" })])
      return { log: yield* history, started: yield* workers, waited: (yield* Clock.currentTimeMillis) - from }
    }))
    assert.deepStrictEqual(log, [
      "started 1.1 First",
      "RateLimited 1.1, then Continued after 90000",
      "started 1.2 Continued of t",
      "finished 1.2 Done"
    ])
    assert.deepInclude(started[1], { thread: "t", prompt: "continue" })
    assert.isAtLeast(waited, 90_000)
  })

  it("keeps the thread that it was to continue, also when it died before it told one", async () => {
    const log = await onMachine(Effect.andThen(
      ranInOrder([
        fails({ ...failures.RateLimited, after: 1 }, { thread: "t" }),
        fails({ ...failures.RateLimited, after: 1 }, { thread: null }),
        answers("Done.")
      ]),
      history
    ))
    assert.include(log, "started 1.3 Continued of t")
  })

  it("is tried three times, with the whole prompt where there is no thread, then fails with a remedy", async () => {
    const { log, result, started } = await onMachine(Effect.gen(function*() {
      const { result } = yield* ranInOrder([fails(failures.Crashed, { thread: null })])
      return { result, log: yield* history, started: yield* workers }
    }))
    assert.lengthOf(log, 6)
    assert.strictEqual(log.at(-1), "failed 1.3 Crashed")
    assert.deepStrictEqual(started.map(({ prompt }) => prompt), Array(3).fill("Mend the bound."))
    assert.include(result, { _tag: "Ended", remedy: "the agent's program failed; read the end of the transcript" })
  })

  it("for its context gets the compacted prompt, and keeps it", async () => {
    const started = await onMachine(Effect.andThen(
      ranInOrder(
        [fails(failures.ContextWindow), fails(failures.Crashed, { thread: null }), answers("Done.")],
        order({ compact: (window) => `shorter for ${window}` })
      ),
      workers
    ))
    assert.deepStrictEqual(started.map(({ prompt, thread }) => [prompt, thread]), [
      ["Mend the bound.", null],
      ["shorter for null", null],
      ["shorter for null", null]
    ])
  })

  it("for a quota is waited for only as long as is allowed", async () => {
    // The world begins at midnight in UTC; whatever its zone, an hour from now is a time on this clock.
    const until = (now: number) => {
      const there = new Date(now + 3_600_000)
      return `${there.getHours()}:${String(there.getMinutes()).padStart(2, "0")}`
    }
    const quota = (waitQuota: number) =>
      onMachine(Effect.gen(function*() {
        const failure = { ...failures.Quota, until: until(yield* Clock.currentTimeMillis) }
        yield* ranInOrder([fails(failure, { thread: "t" }), answers("Done.")], order({ waitQuota }))
        return yield* history
      }))
    assert.deepStrictEqual((await quota(0)).at(-1), "failed 1.1 Quota")
    assert.deepStrictEqual((await quota(2 * 3_600_000)).at(-1), "finished 1.2 Done")
  })
})

describe("a plan instead of work", () => {
  const plan = answers("Plan:\n1. Edit the file.")
  const working = order({ mustWork: true })

  it("is asked for again three times, then taken as it is", async () => {
    const { log, started } = await onMachine(Effect.gen(function*() {
      yield* ranInOrder([plan], working)
      return { log: yield* history, started: yield* workers }
    }))
    assert.lengthOf(started, 4)
    assert.strictEqual(log.at(-1), "finished 1.4 Done")
    assert.include(started[1]?.prompt, "edit the files")
    assert.lengthOf(new Set(started.map(({ prompt }) => prompt)), 4)
  })

  it("is taken where the worktree has changed, or where nobody asked for work", async () => {
    const edited = await onMachine(Effect.andThen(ranInOrder([{ ...plan, edits: "code-2" }], working), workers))
    const unasked = await onMachine(Effect.andThen(ranInOrder([plan]), workers))
    assert.deepStrictEqual([edited.length, unasked.length], [1, 1])
  })
})

describe("a call for an agent that another call has begun", () => {
  /** Interrupts a call after so long, lets time pass, and calls again. */
  const interrupted = (after: number, later: number) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(ran())
      yield* Effect.sleep(after)
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep(later)
      const from = yield* Clock.currentTimeMillis
      const { result } = yield* ran()
      return { result, log: yield* history, took: (yield* Clock.currentTimeMillis) - from }
    })

  it("follows it where it runs, and where it has ended meanwhile", async () => {
    for (const later of [1_000, 600_000]) {
      const { log, result } = await onMachine(
        Effect.andThen(scripted(() => answers("Done.", { after: 60_000 })), interrupted(5_000, later))
      )
      assert.deepStrictEqual(log, ["started 1.1 First", "finished 1.1 Done"])
      assert.include(result, { _tag: "Ended" })
    }
  })

  it("waits only for what is left of its wait", async () => {
    const waiting = ScriptedAgent.inOrder(fails({ ...failures.RateLimited, after: 100_000 }), answers("Done."))
    const { log, took } = await onMachine(Effect.andThen(scripted(waiting), interrupted(5_000, 65_000)))
    assert.strictEqual(log.at(-1), "finished 1.2 Done")
    assert.isAtLeast(took, 25_000)
    assert.isBelow(took, 40_000)
  })

  it("starts it where it never began, which uses up no attempt", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* ran()
      const started = (yield* events)[0]
      if (started?._tag !== "AgentStarted") throw new Error("expected a start")
      yield* committed({ ...started, agent: 2, id: "never" })
      yield* ran(order({ agent: 2 }))
      return (yield* history).slice(2)
    }))
    assert.deepStrictEqual(log, ["started 2.1 First", "started 2.2 First", "finished 2.2 Done"])
  })

  it("is not started where `stop` was asked for while it was about to begin", async () => {
    const [log, result] = await onMachine(Effect.gen(function*() {
      const driver = yield* openDriver(runRef())
      yield* committed({ _tag: "StopAsked" })
      const { result } = yield* runAgent(driver, order())
      return [yield* history, result] as const
    }))
    assert.deepStrictEqual(log, ["StopAsked"])
    assert.deepStrictEqual(result, { _tag: "Stopped", cause: "Stop" })
  })

  it("works together with one that still runs: nothing is started twice", async () => {
    const { log, results } = await onMachine(Effect.gen(function*() {
      yield* scripted(
        ScriptedAgent.inOrder(fails(failures.Crashed, { after: 1_000 }), answers("Done.", { after: 1_000 }))
      )
      const results = yield* Effect.all([ran(), ran(), Effect.delay(ran(), 500)], { concurrency: "unbounded" })
      return { results: results.map(({ result }) => result), log: yield* history }
    }))
    assert.lengthOf(log, 4)
    assert.deepStrictEqual(results[0], results[1])
    assert.deepStrictEqual(results[0], results[2])
  })
})

describe("a call that cannot go on", () => {
  it("fails where the number is another task's", async () => {
    const error = await onMachine(
      Effect.andThen(ran(), Effect.flip(ran(order({ task: task({ taskId: "task-2" }) }))))
    )
    assert.include(error, { _tag: "AgentTaken", agent: 1, taskId: "task-1" })
  })

  it("ends an agent that is silent, and fails after three of them", async () => {
    const log = await onMachine(Effect.andThen(ranInOrder([silentAgent]), history))
    assert.deepStrictEqual(log.at(-1), "failed 1.3 Idle")
  })

  it("reads on from an older state of the stream", async () => {
    const log = await onMachine(Effect.gen(function*() {
      const old = yield* openDriver(runRef())
      yield* runAgent(old, order())
      yield* runAgent(old, order())
      return yield* history
    }))
    assert.lengthOf(log, 2)
  })
})
