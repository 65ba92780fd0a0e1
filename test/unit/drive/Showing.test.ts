// Showing: one frame a second while work goes on, none for nobody, and nothing is left of it.
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import type { LiveView } from "../../../src/drive/LiveView.ts"
import { shownWhile } from "../../../src/drive/View.ts"
import { Progress, silent, type Watcher } from "../../../src/review/Progress.ts"

const view: LiveView = {
  place: { _tag: "InPlan", plan: "p.md", cycle: null, done: 0, pending: null },
  used: { rounds: 0, time: 0, tokens: 0 },
  limits: { maxRounds: null, maxTime: null, maxTokens: null },
  byAgents: 0,
  work: []
}

/** What is shown during three and a half seconds of work. */
const frames = (found: LiveView | null, on: boolean) =>
  Effect.runPromise(
    Effect.gen(function*() {
      const seen: Array<string> = []
      const watcher: Watcher = {
        ...silent,
        on,
        show: (_, driven) => Effect.sync(() => void seen.push(driven?.word ?? "nothing")),
        clear: Effect.sync(() => void seen.push("cleared"))
      }
      const working = shownWhile(Effect.succeed(found), Effect.as(Effect.sleep(3500), "done"))
      const fiber = yield* Effect.forkChild(Effect.provideService(working, Progress, watcher))
      yield* TestClock.adjust(4000)
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      return seen
    }).pipe(Effect.provide(TestClock.layer()))
  )

it("is shown once a second, and taken away at its end", async () =>
  assert.deepStrictEqual(await frames(view, true), ["round 1", "round 1", "round 1", "round 1", "cleared"]))
it("is shown without a view where none can be told", async () => assert.include(await frames(null, true), "nothing"))
it("is shown to nobody where nobody watches", async () => assert.deepStrictEqual(await frames(view, false), []))
