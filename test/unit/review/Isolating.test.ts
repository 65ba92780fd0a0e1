// Isolating: what reviewers of a new batch read, and that a step which lost the race for it decides again.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import { startAlone, inputOf, startReviews } from "../../../src/review/Start.ts"
import { refused } from "../../../src/code/CodeFailed.ts"
import { Git } from "../../../src/code/Git.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { batchStarted, started } from "../run/events.ts"
import { byAnother, lines, onMachine, opened } from "../run/opened.ts"

const settings = (isolate: boolean) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 1, isolate }).settings

describe("reviewers of a new batch read", () => {
  it("the worktree, or the private repository that is made of it", () =>
    onMachine(Effect.gen(function*() {
      const run = yield* opened()
      const identity = identityOf("code-1", null)
      assert.deepStrictEqual(yield* inputOf(run, null, settings(false), null), { identity })
      assert.deepStrictEqual(yield* inputOf(run, null, settings(true), null), {
        identity,
        isolated: "/copies/code-1"
      })
    })))

  it("nothing where it cannot be made: no line is written", () =>
    onMachine(Effect.gen(function*() {
      const run = yield* opened()
      const failing = Layer.effect(
        Git,
        Effect.map(
          Git,
          (git) =>
            Git.of({
              ...git,
              isolate: () => Effect.fail(refused("no space"))
            })
        )
      )
      const start = startReviews(run, { cause: "not-started" }, { settings: settings(true), cwd: "/repo" })
      const error = yield* Effect.flip(Effect.provide(start, failing))
      assert.strictEqual(error.message, "no space")
      assert.deepStrictEqual(yield* lines, [])
    })))
})

describe("a step that isolates", () => {
  it("decides again where another process has committed meanwhile", () =>
    onMachine(Effect.gen(function*() {
      const run = yield* opened()
      assert.strictEqual(yield* startAlone(run, settings(true), Effect.succeed("made")), "made")
      yield* byAnother(run, [batchStarted(), started()])
      const error = yield* Effect.flip(startAlone(run, settings(true), Effect.die("not made")))
      assert.strictEqual(error._tag, "LogConflict")
      assert.strictEqual(yield* startAlone(run, settings(false), Effect.succeed("not isolated")), "not isolated")
    })))
})
