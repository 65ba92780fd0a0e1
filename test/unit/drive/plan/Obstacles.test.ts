// Obstacles: no call goes up the ladder past what was committed since its run began, and an inspection says so too.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { inspectPlan } from "../../../../src/drive/plan/Inspect.ts"
import { obstacleOf } from "../../../../src/drive/plan/OpenPlan.ts"
import type { ScriptedAgent } from "../../../../src/testing.ts"
import { identityOf, gitLayer } from "../../../../src/testing/memory/Code.ts"
import { closed, cycleStarted } from "./histories.ts"
import { call, content, file, inWorld, settings } from "./plans.ts"
import { workingRun } from "./workings.ts"

/** A run whose first cycle began at a commit. */
const since = (head: string | null) => [
  { ...cycleStarted(), content: { ...identityOf("code", null), head } },
  closed("Rejected")
]

const ladder = settings({ then: "converge" })
const branch = { step: { target: { _tag: "Base", branch: "main" }, strict: true, ceiling: "low" } }

it("what was committed is not passed over, unless nobody goes up the ladder or the branch is looked at", async () => {
  const { foretold, others, outcome } = await inWorld(
    {},
    Effect.gen(function*() {
      const [moved, same] = [yield* workingRun(since("older")), yield* workingRun(since("head"))]
      const { run: { manifest } } = moved
      const others = [
        yield* obstacleOf(settings(), manifest, moved.driver.state),
        yield* obstacleOf(
          settings({ then: "converge" }, { ...branch, commitFixes: "Do" }),
          manifest,
          moved.driver.state
        ),
        yield* obstacleOf(ladder, manifest, same.driver.state)
      ]
      const unborn = yield* workingRun(since(null))
      const first = yield* obstacleOf(ladder, manifest, unborn.driver.state)
      assert.match(first?._tag === "BinaryError" ? first.message : "", /^something was committed since/)
      yield* workingRun(since("older"))
      const { outcome: foretold } = yield* inspectPlan(ladder, file, "/repo")
      return { foretold, others, outcome: yield* call(ladder) }
    })
  )
  assert.deepStrictEqual(others, [null, null, null])
  assert.match(
    outcome.header,
    /^BinaryError: something was committed since .* --then converge .* \[add --commit-fixes;/
  )
  assert.deepStrictEqual(outcome.names.slice(-2), ["DriverStarted", "DriverEnded"])
  assert.strictEqual(foretold._tag, "BinaryError")
})

it("nor is what is committed while the call works", async () => {
  let head = "head"
  const identity = () => Effect.sync(() => ({ ...identityOf("code", null), head, tree: head }))
  const implement: ScriptedAgent.AgentScript = (...all) => {
    head = "newer"
    return content.implement(...all)
  }
  const { header, names } = await inWorld({ agents: { ...content, implement } }, call(ladder), {
    git: gitLayer({ identity })
  })
  assert.match(header, /^BinaryError: something was committed since/)
  assert.deepStrictEqual(names.slice(-3), ["TasksMarked", "CycleClosed", "DriverEnded"])
})
