// StuckRepeated and StuckCapReached: `<ActionKind>:<blocker key>` in the header, nothing else on either stream.
// A Wait is never a repetition, but the iteration cap may fire on one.
import { assert, describe } from "vitest"
import { handoff, idle, matching, outcome } from "./expect.ts"
import { batches, events } from "./log.ts"
import { blocked, clean, editing, issues } from "./plans.ts"
import { it } from "./support.ts"
import { alive } from "./wait.ts"

describe.concurrent("StuckRepeated", () => {
  it("when reviews that change what they review are run again and again", async ({ world }) => {
    world.plan("default", editing(clean))
    matching(await world.step("--uncommitted", "-n", "1", "--ceiling", "low"), 1, /^StuckRepeated: RunReviews:\S/)
    assert.isEmpty(events(world, "FixedPointReached"))
    assert.isAtLeast(batches(world).length, 2)
    assert.isAtMost(world.calls().length, 3)
  })

  it(
    "not by one such re-run: when the code then holds still, its clean batch counts",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      world.plan("call-1", editing(clean))
      outcome(await world.step("--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
    }
  )

  it("not by issues: a batch with issues is handed off whatever the tree", { tags: "slow" }, async ({ world }) => {
    world.plan("default", editing(issues))
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "AddressBatch")
    assert.lengthOf(world.calls(), 1)
  })
})

describe.concurrent("StuckCapReached", () => {
  const env = { OODA_AWAIT_SECS: "0" }

  it("--max-iter 1: RunReviews was last attempted, AwaitReviews in the next; reviewers live on", async ({ world }) => {
    world.plan("default", blocked(clean))
    const argv = ["--uncommitted", "-n", "2", "--ceiling", "low"]
    matching(await world.stepFrom({ env }, ...argv, "--max-iter", "1"), 2, /^StuckCapReached: RunReviews:\S/)
    matching(await world.stepFrom({ env }, ...argv, "--max-iter", "1"), 2, /^StuckCapReached: AwaitReviews:\S/)
    await world.step("--uncommitted", "--step-timeout", "1s")
    assert.deepEqual(world.calls().map(({ pid }) => alive(pid)), [true, true])
    world.release()
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2, "what runs is never started twice")
  })

  it("--max-iter 2 in one invocation: a Wait was the last", { tags: "slow" }, async ({ world }) => {
    world.plan("default", blocked(clean))
    matching(
      await world.stepFrom({ env }, "--uncommitted", "-n", "1", "--max-iter", "2"),
      2,
      /^StuckCapReached: AwaitReviews:\S/
    )
  })

  it(
    "--max-iter 3 is enough for one batch: no iteration is spent for each review that ends",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", issues)
      world.plan("call-2", `sleep 0.5\n${clean}`)
      world.plan("call-3", `sleep 1\n${clean}`)
      const unset = { OODA_AWAIT_SECS: undefined }
      handoff(await world.stepFrom({ env: unset }, "--uncommitted", "--max-iter", "3"), 5, "AddressBatch")
    }
  )

  it("--max-batches bounds a run: the next batch is not started", async ({ world }) => {
    world.plan("default", issues)
    const argv = ["--uncommitted", "-n", "1", "--max-batches", "1"]
    handoff(await world.step(...argv), 5, "AddressBatch")
    idle(
      await world.step("--uncommitted", "--mark-address-passed"),
      "address passed at floor low (1 review(s) with issues); no drop; advanced to batch 2"
    )
    matching(await world.step(...argv), 2, /^StuckCapReached: RunReviews:\S/)
    assert.lengthOf(world.calls(), 1)
    handoff(await world.step("--uncommitted", "-n", "1", "--max-batches", "2"), 5, "AddressBatch")
  })
})

describe.concurrent("OODA_AWAIT_SECS", () => {
  for (const seconds of ["0", "0.5", undefined]) {
    const tags = seconds === undefined ? [] : ["slow"]
    it(`${seconds ?? "unset (30 s)"}: a step ends as soon as its batch can be decided`, { tags }, async ({ world }) => {
      world.plan("default", clean)
      const began = Date.now()
      const env = { OODA_AWAIT_SECS: seconds }
      handoff(await world.stepFrom({ env }, "--uncommitted", "-n", "1"), 5, "Retrospective")
      assert.isBelow(Date.now() - began, 20_000)
    })
  }

  it(
    "0 with reviewers that take their time: waiting does not count toward the default cap",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", `sleep 4\n${clean}`)
      const env = { OODA_AWAIT_SECS: "0" }
      outcome(await world.stepFrom({ env }, "--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
    }
  )

  for (const seconds of ["abc", "-1"]) {
    it(`"${seconds}" is a one-line BinaryError`, { tags: seconds === "abc" ? [] : ["slow"] }, async ({ world }) => {
      world.plan("default", clean)
      const ended = await world.stepFrom({ env: { OODA_AWAIT_SECS: seconds } }, "--uncommitted", "-n", "1")
      matching(ended, 6, /^BinaryError: .*OODA_AWAIT_SECS/)
      assert.isEmpty(world.calls())
    })
  }
})
