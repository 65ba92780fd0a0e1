// Obstacles: no call goes up the ladder past what its run has committed, and an inspection says so too.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { inspectPlan } from "../../../src/implement/Inspect.ts"
import { obstacleOf } from "../../../src/implement/Obstacles.ts"
import { closed, cycleStarted } from "../core/implement/histories.ts"
import { call, file, inWorld, settings } from "./plans.ts"
import { workingRun } from "./workings.ts"

const committed = (commit: string | null) =>
  [
    cycleStarted(),
    { _tag: "FixesCommitted", round: 1, agent: 1, commit, output: { text: "" } },
    closed("Rejected")
  ] as const

const ladder = settings({ then: "converge" })
const branch = { step: { target: { _tag: "Base", branch: "main" }, strict: true, ceiling: "low" } }

it("work that was committed is not passed over", async () => {
  const { foretold, outcome, others } = await inWorld(
    {},
    Effect.gen(function*() {
      const { driver: { state }, run: { manifest } } = yield* workingRun(committed("c"))
      const others = yield* Effect.forEach([
        obstacleOf(settings(), manifest, state),
        obstacleOf(settings({ then: "converge" }, { ...branch, commitFixes: "Do" }), manifest, state),
        Effect.flatMap(workingRun(committed(null)), (one) => obstacleOf(ladder, manifest, one.driver.state))
      ], (one) => one)
      yield* workingRun(committed("c"))
      const { outcome: foretold } = yield* inspectPlan(ladder, file, "/repo")
      return { foretold, outcome: yield* call(ladder), others }
    })
  )
  assert.deepStrictEqual(others, [null, null, null])
  assert.match(outcome.header, /^BinaryError: .* --then converge would not look \[add --commit-fixes\]$/)
  assert.deepStrictEqual(outcome.names.slice(-2), ["DriverStarted", "DriverEnded"])
  assert.strictEqual(foretold._tag, "BinaryError")
})
