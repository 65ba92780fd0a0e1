// --pr NUM: the key is pr/NUM, the base comes from gh, codex is called with --base <baseRefName>.
// Gh is asked once a batch, its answer is held to the rule of branch names, nothing is checked out.
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, matching } from "./expect.ts"
import { events, runs } from "./log.ts"
import { blocked, clean, issues } from "./plans.ts"
import { it } from "./support.ts"

const ASKED = ["pr", "view", "42", "--json", "baseRefName,baseRefOid,url"]

describe.concurrent("--pr", () => {
  it("resolves the base with gh and reviews against it; branches do not change", async ({ world }) => {
    world.ghSays("release/1.0\n")
    world.plan("default", clean)
    handoff(await world.step("--pr", "42", "-n", "1"), 5, "Retrospective")
    assert.deepEqual(world.ghCalls(), [ASKED])
    assert.deepEqual(world.calls().map((call) => call.argv.slice(0, 3)), [["review", "--base", "release/1.0"]])
    assert.lengthOf(runs(world, "pr/42"), 1)
    assert.strictEqual(world.git("branch", "--show-current"), "main")
  })

  it(
    "asks once a batch, however many steps the batch takes; a new batch asks again",
    { tags: "slow" },
    async ({ world }) => {
      world.ghSays("main\n")
      world.plan("default", blocked(issues))
      const argv = ["--pr", "42", "-n", "1"]
      const env = { OODA_AWAIT_SECS: "0" }
      matching(await world.stepFrom({ env }, ...argv, "--max-iter", "1"), 2, /^StuckCapReached: /)
      matching(await world.stepFrom({ env }, ...argv, "--max-iter", "1"), 2, /^StuckCapReached: /)
      world.ghSays("elsewhere\n")
      world.release()
      handoff(await world.step(...argv), 5, "AddressBatch")
      handoff(await world.step(...argv), 5, "AddressBatch")
      assert.lengthOf(world.ghCalls(), 1)
      idle(
        await world.step("--pr", "42", "--mark-address-passed"),
        "address passed at floor low (1 review(s) with issues); no drop; advanced to batch 2"
      )
      assert.lengthOf(world.ghCalls(), 1, "side-effect mode does not ask gh")
      handoff(await world.step(...argv), 5, "AddressBatch")
      assert.lengthOf(world.ghCalls(), 2)
      assert.deepEqual(world.calls().map((call) => call.argv[2]), ["main", "elsewhere"])
      assert.deepEqual(events(world, "BatchStarted", "pr/42").map(({ base }) => base), ["main", "elsewhere"])
    }
  )

  it("is BinaryError when gh fails, in one line, before anything is spawned", async ({ world }) => {
    world.plan("default", clean)
    binaryError(await world.step("--pr", "42"), /Could not resolve to a PullRequest/)
    assert.isEmpty(world.calls())
  })

  it("is BinaryError when there is no gh", async ({ world }) => {
    world.plan("default", clean)
    binaryError(await world.stepFrom({ env: { PATH: world.pathWithout("gh") } }, "--pr", "42"), /gh/)
    assert.isEmpty(world.calls())
  })

  for (const answer of ["", "--uncommitted\n", "main\nother\n"]) {
    it(`holds the answer to the rule of branch names: ${JSON.stringify(answer)}`, async ({ world }) => {
      world.ghSays(answer)
      world.plan("default", clean)
      binaryError(await world.step("--pr", "42", "-n", "1"), /gh|branch|base/)
      assert.isEmpty(world.calls())
    })
  }

  it("a mark on it needs no gh", async ({ world }) => {
    idle(await world.step("--pr", "42", "--mark-retro-clean"), "retrospective clean at low; advanced to medium")
    assert.isEmpty(world.ghCalls())
  })
})
