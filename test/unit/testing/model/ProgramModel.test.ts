// ProgramModel: a machine that does what the model foretells passes, and one that does not is found out.
import * as fc from "fast-check"
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { Git } from "../../../../src/code/Git.ts"
import * as Memory from "../../../../src/testing/Memory.ts"
import { gitLayer as memoryGit } from "../../../../src/testing/memory/Code.ts"
import { Broken, calls, check, inspects, marks, play, property } from "../../../../src/testing/model/Commands.ts"
import { call } from "./someRuns.ts"

const minute = 60_000

/** A machine whose code is another one at every look. */
const restless = () =>
  Memory.layer({
    git: Layer.effect(
      Git,
      Effect.gen(function*() {
        const git = yield* Git
        const looks = yield* Ref.make(0)
        const identity = Effect.map(
          Ref.updateAndGet(looks, (n) => n + 1),
          (n) => ({ _tag: "Known", head: "head", tree: `tree-${n}`, base: null }) as const
        )
        return Git.of({ ...git, identity: () => identity })
      })
    ).pipe(Layer.provide(memoryGit()))
  })

const rejected = (played: Promise<unknown>) =>
  played.then(() => assert.fail("nothing was found"), (error: unknown) => error)

describe("a sound machine", () => {
  it(
    "passes for a sequence of commands",
    () =>
      play(Memory.layer(), [
        inspects(call()),
        calls(call({ ceiling: "medium" })),
        marks("mark-retro-clean", "low", "medium")
      ]),
    minute
  )

  it("passes for random ones", () => check(Memory.layer, 3), minute)
})

describe("a machine that is not", () => {
  it(
    "is found out by one command",
    async () => assert.instanceOf(await rejected(play(restless(), [calls(call())])), Broken),
    minute
  )

  it("is found out by random ones, with the shortest counterexample", async () => {
    const { counterexample, failed } = await fc.check(property(restless, 4), { seed: 7, numRuns: 20 })
    assert.isTrue(failed)
    assert.lengthOf([...counterexample?.[0] ?? []], 1)
  }, minute)

  it("is told of by the check", async () => {
    const error = await rejected(check(restless, 20))
    assert.match(error instanceof Error ? error.message : "", /Counterexample: \[/)
  }, minute)
})
