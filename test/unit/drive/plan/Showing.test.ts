// Showing: a plan that is worked through, as a person sees it.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { shown } from "../../../../src/drive/plan/Drive.ts"
import { type Heading, Progress, silent } from "../../../../src/review/Progress.ts"
import { cycleStarted } from "./histories.ts"
import { inWorld } from "./plans.ts"
import { workingRun } from "./workings.ts"

it("is seen with its cycle, and with what is under way", async () => {
  const views: Array<Heading | undefined> = []
  const watcher = {
    ...silent,
    on: true,
    show: (_: unknown, view?: Heading) => Effect.sync(() => void views.push(view))
  }
  await inWorld(
    {},
    Effect.gen(function*() {
      const working = yield* workingRun([cycleStarted()], {}, { maxTokens: 1000 })
      yield* Effect.provideService(shown(working, Effect.sleep(1500)), Progress, watcher)
    })
  )
  assert.lengthOf(views, 2)
  assert.deepStrictEqual(views[0]?.lines(79), [
    "plan.md  round 1  2 tasks  0 done, 2 pending",
    "used: 1 round, 0s, 0 of 1k tokens"
  ])
})
