// RunAgent: one agent through its attempts: what is committed when, what is waited for, what is adopted.
import { Clock, Effect, Exit, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { runAgent } from "../../../src/agent/RunAgent.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { Memory, ScriptedAgent, System, World } from "../../../src/testing.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import {
  committed,
  events,
  failures,
  history,
  killed,
  order,
  ran,
  ranInOrder,
  scripted,
  task,
  workers
} from "../../support/agents.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

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

  it("answers, and gives the same answer without being started again", async () => {
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
      ["Fix the bound.", "thread-9"],
      ["continue", "thread-9"]
    ])
  })

  it("keeps a long answer beside the log, and gives all of it", async () => {
    const message = "long ".repeat(2_000)
    const { all, result } = await onMachine(Effect.gen(function*() {
      const { result } = yield* ranInOrder([answers(message)])
      return { result, all: yield* events }
    }))
    assert.strictEqual(result._tag === "Ended" ? result.ending.message : "", message)
    const finished = all.at(-1)
    assert.strictEqual(finished?._tag === "AgentFinished" ? finished.message.rest?.bytes : 0, message.length)
  })

  it("shows what it says to an observer", async () => {
    const heard = await onMachine(Effect.gen(function*() {
      const heard = yield* Ref.make<ReadonlyArray<string>>([])
      yield* ran(order({ observe: ({ event }) => Ref.update(heard, (all) => [...all, event._tag]) }))
      return yield* Ref.get(heard)
    }))
    assert.deepStrictEqual(heard, ["ThreadStarted", "TurnStarted", "ItemCompleted", "TurnCompleted"])
  })
})

describe("an attempt that fails", () => {
  it("is followed by one that continues its thread with one word, after a wait that the log holds first", async () => {
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

  it("keeps the thread that it was to continue, also when it died before it named one", async () => {
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
    assert.deepStrictEqual(started.map(({ prompt }) => prompt), Array(3).fill("Fix the bound."))
    assert.include(result, { _tag: "Ended", remedy: "read the end of the transcript, then call again" })
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
      ["Fix the bound.", null],
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

  it("is taken where the worktree has changed, or where no work was asked for", async () => {
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

describe("a call that cannot continue", () => {
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

describe("a driver of an agent", () => {
  const { answers, fails } = ScriptedAgent

  /** A call that is interrupted after so many milliseconds. */
  const interrupted = <A, E, R>(after: number, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(effect)
      yield* Effect.sleep(after)
      yield* Fiber.interrupt(fiber)
    })

  const limited = { ...failures.RateLimited, after: 2_000 }
  const scripts = {
    "answers at once": [answers("Done.")],
    "answers late": [answers("Done.", { after: 20_000 })],
    "fails and is continued": [
      fails(limited, { after: 500, thread: "t" }),
      answers("Done.", { thread: "t", after: 500 })
    ],
    "plans and then works": [answers("Plan:"), answers("Done.", { edits: "code-2" })],
    "fails for good": [fails(limited), fails(failures.Login)]
  } as const satisfies Record<string, readonly [ScriptedAgent.ScriptedAgent, ...Array<ScriptedAgent.ScriptedAgent>]>

  /** The end of the last agent of the script that was started, and how often one was started that ends for good. */
  const laws = Effect.gen(function*() {
    const { agents } = yield* World
    const all = yield* Ref.get(agents)
    const log = yield* history
    return {
      log,
      // Whoever was started is in the log.
      known: all.every(({ attempt }) => log.some((line) => line.startsWith(`started 1.${attempt.attempt} `))),
      ended: all.filter(({ scripted }) =>
        (scripted.ending._tag === "Done" && !scripted.ending.message.startsWith("Plan")) ||
        scripted.ending._tag === "Login"
      ).length
    }
  })

  const wanted = order({ mustWork: true })

  const holds = async (
    name: keyof typeof scripts,
    kills: ReadonlyArray<Effect.Effect<unknown, unknown, Memory.Services | World>>
  ) => {
    const machine = System.start(Memory.layer())
    try {
      const exit = await machine.run(Effect.gen(function*() {
        const [first, ...rest] = scripts[name]
        yield* scripted(ScriptedAgent.inOrder(first, ...rest))
        for (const kill of kills) yield* Effect.exit(kill)
        const { result } = yield* ran(wanted)
        const again = yield* ran(wanted)
        assert.deepStrictEqual(again.result, result)
        return { result, ...(yield* laws) }
      }))
      if (!Exit.isSuccess(exit)) throw new Error(`${name}: ${exit.cause}`)
      const { ended, known, log, result } = exit.value
      assert.isTrue(known, "who runs is in the log")
      assert.strictEqual(ended, 1, "an agent that is done is never run twice")
      assert.lengthOf(log.filter((line) => /^(finished|failed)/.test(line)), 1)
      assert.strictEqual(
        result._tag === "Ended" ? result.ending._tag : "",
        name === "fails for good" ? "Login" : "Done"
      )
    } finally {
      await machine.dispose()
    }
  }

  describe("a driver that is killed", () => {
    it.each(Object.keys(scripts) as Array<keyof typeof scripts>)(
      "at any call loses nothing: an agent that %s",
      async (name) => {
        for (let at = 0; at < 24; at++) await holds(name, [killed(at, ran(wanted))])
      }
    )

    it("again and again, or interrupted at any time, loses nothing", async () => {
      const kill = fc.oneof(
        fc.nat({ max: 16 }).map((at) => killed(at, ran(wanted))),
        fc.nat({ max: 6_000 }).map((after) => interrupted(after, ran(wanted)))
      )
      const name = fc.constantFrom(...(Object.keys(scripts) as Array<keyof typeof scripts>))
      await fc.assert(
        fc.asyncProperty(name, fc.array(kill, { minLength: 1, maxLength: 4 }), (name, kills) => holds(name, kills)),
        { numRuns: 60 }
      )
    })
  })
})
