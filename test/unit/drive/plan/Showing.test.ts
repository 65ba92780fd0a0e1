// Showing: a plan that is worked through, as a person sees it.
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { LiveView } from "../../../../src/drive/LiveView.ts"
import { shown } from "../../../../src/drive/plan/Driver.ts"
import { Progress, silent } from "../../../../src/review/Progress.ts"
import { cycleStarted } from "./histories.ts"
import { inWorld } from "./plans.ts"
import { workingRun } from "./workings.ts"

it("is seen with its cycle, and with what is under way", async () => {
  const views: Array<LiveView | undefined> = []
  const watcher = {
    ...silent,
    on: true,
    show: (_: unknown, view?: LiveView) => Effect.sync(() => void views.push(view))
  }
  await inWorld(
    {},
    Effect.gen(function*() {
      const working = yield* workingRun([cycleStarted()], {}, { maxTokens: 1000 })
      yield* Effect.provideService(shown(working, Effect.sleep(1500)), Progress, watcher)
    })
  )
  assert.lengthOf(views, 2)
  // The rounds of the settings are those of the ladder.
  assert.deepInclude(views[0]?.limits, { maxTokens: 1000, maxRounds: null })
  assert.deepInclude(views[0]?.place, {
    plan: "plan.md",
    done: 0,
    pending: 2,
    cycle: { number: 1, open: true, round: 0, tasks: cycleStarted().tasks }
  })
})
