// PlansUnderWay: plan runs are at work while somebody drives them or an agent of theirs runs, in their worktree alone.
import { Effect, Fiber } from "effect"
import { assert, it } from "vitest"
import { plansUnderWay } from "../../../../src/drive/plan/Runs.ts"
import { Git } from "../../../../src/code/Git.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { ScriptedAgent } from "../../../../src/testing.ts"
import { call, inWorld } from "./plans.ts"

const found = (worktree?: string) =>
  Effect.gen(function*() {
    const repository = yield* (yield* Git).repository("/repo")
    const root = yield* (yield* RunStore).open(null, "/repo")
    const plans = yield* plansUnderWay([root], { ...repository, ...(worktree === undefined ? {} : { root: worktree }) })
    return plans.map(({ driver, ref }) => [ref.targetKey.startsWith("plan/"), driver?.outcome])
  })

it("is found while an agent works, also by whoever finds the driver gone, and not once it is over", async () => {
  const agents = { implement: () => ScriptedAgent.answers("late", { after: 600_000 }) }
  const seen = await inWorld(
    { agents },
    Effect.gen(function*() {
      const before = yield* found()
      const calling = yield* Effect.forkChild(call())
      yield* Effect.sleep(10_000)
      const during = [yield* found(), yield* found("/elsewhere")]
      yield* Fiber.interrupt(calling)
      return [before, ...during, yield* found()]
    })
  )
  assert.deepStrictEqual(seen, [[], [[true, null]], [], [[true, null]]])
  const after = await inWorld({}, Effect.andThen(call(), found()))
  assert.deepStrictEqual(after, [])
})
