// RunAgent.crashes: the driver of an agent is killed at every call that changes something; the next one loses nothing.
import { Effect, Exit, Fiber, Ref } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Memory, ScriptedAgent, System, World } from "../../../src/testing.ts"
import { failures } from "./failures.ts"
import { killed } from "./killed.ts"
import { history, order, ran, scripted } from "./orders.ts"

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
    assert.strictEqual(result._tag === "Ended" ? result.ending._tag : "", name === "fails for good" ? "Login" : "Done")
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
