// Commands: each holds the machine to the model and to the invariants, and says what it found to be broken.
import { Effect, Layer } from "effect"
import { afterEach, assert, describe, it } from "vitest"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import * as Memory from "../../../../src/testing/Memory.ts"
import { reviewersLayer as memoryReviewers } from "../../../../src/testing/memory/Reviewers.ts"
import {
  calls,
  cut,
  edits,
  ended,
  inspects,
  killedCalls,
  killedMarks,
  marks,
  type ProgramCommand,
  races,
  type State,
  stops,
  twoCalls,
  waits
} from "../../../../src/testing/model/Commands.ts"
import { start, type System } from "../../../../src/testing/System.ts"
import { call, parts } from "./someRuns.ts"

const slowly = call({ bounded: true, parts: [{ says: "clean", slow: true }] })

let system: System | null = null
afterEach(async () => {
  await system?.dispose()
  system = null
})

/** Plays commands on a new machine; gives what is known afterwards. */
const played = async (options: Memory.Options, ...commands: ReadonlyArray<ProgramCommand>): Promise<State> => {
  const state: State = { observed: null, known: new Set() }
  system = start(Memory.layer(options))
  for (const command of commands) await command.run(state, system)
  return state
}

/** Why the commands cannot be played on such a machine. */
const broken = (options: Memory.Options, ...commands: ReadonlyArray<ProgramCommand>): Promise<string> =>
  played(options, ...commands).then(() => "nothing", (error: unknown) => error instanceof Error ? error.message : "")

const reviewers = (change: (real: Reviewers["Service"]) => Partial<Reviewers["Service"]>): Memory.Options => ({
  reviewers: Layer.effect(Reviewers, Effect.map(Reviewers, (real) => Reviewers.of({ ...real, ...change(real) }))).pipe(
    Layer.provide(memoryReviewers)
  )
})
const unstoppable = reviewers(() => ({ stop: () => Effect.succeed(0) }))

describe("a command", () => {
  it("says what it does", () =>
    assert.deepStrictEqual(
      [
        calls(call({ size: 2, fresh: true, parts: parts("issues", "clean") })),
        inspects(slowly),
        marks("drop-level", "low", "high"),
        edits("code-2"),
        waits(5),
        stops,
        twoCalls(call()),
        races(call(), "advance-level", 150),
        ended(call(), "SIGINT", 7),
        cut(call(), 3),
        killedCalls(call(), 4),
        killedMarks("drop-level", "low", "high", 5)
      ].map(String),
      [
        "call low..low -n 2 --fresh [issues, clean]",
        "inspect low..low -n 1 bounded [slow clean]",
        "--drop-level low..high",
        "edit code-2",
        "wait 5",
        "stop",
        "two calls low..low -n 1 [clean]",
        "call low..low -n 1 [clean] while, after 150, --advance-level",
        "call low..low -n 1 [clean] ended by SIGINT after 7",
        "call low..low -n 1 [clean] cut at 3",
        "call low..low -n 1 [clean] killed at 4",
        "--drop-level low..high killed at 5"
      ]
    ))

  it("leaves what it saw of the machine for the next one", async () => {
    const { observed } = await played({}, calls(call()), edits("code-2"), waits(1000))
    if (observed === null) return assert.fail("nothing was seen")
    assert.strictEqual(observed.code, "code-2")
    assert.isAtLeast(observed.now, 1000)
    assert.isNotNull(observed.manifest?.fixed_point)
  })
})

describe("what is broken is said", () => {
  it("by a call that comes to another thing than the model foretells", async () => {
    const dead = reviewers(() => ({ look: (all) => Effect.succeed(all.map(() => ({ _tag: "Lost" }) as const)) }))
    assert.match(
      await broken(dead, calls(call())),
      /^outcome: expected DoneFixedPoint, run .*, found BinaryError, run /
    )
  })

  it("by stop and by a person's signal that leave a reviewer at work", async () => {
    assert.strictEqual(await broken(unstoppable, calls(slowly), stops), "nothing runs after stop")
    assert.strictEqual(await broken(unstoppable, ended(slowly, "SIGINT", 1000)), "SIGINT leaves no reviewer running")
  })

  it("by a flag that leaves its batch with a reviewer at work", async () =>
    assert.match(
      await broken(unstoppable, calls(slowly), marks("advance-level", "low", "xhigh")),
      /^no orphaned reviewer lives on: /
    ))

  it("not by the machine in memory", async () => {
    const all = [
      calls(slowly),
      ended(slowly, "SIGTERM", 150),
      twoCalls(call()),
      races(call(), "drop-level", 150),
      cut(slowly, 2),
      stops
    ]
    assert.strictEqual(await broken({}, ...all), "nothing")
  })
})
