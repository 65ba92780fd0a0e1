// Targets are not checked by default; --strict-target makes one that cannot be reviewed a BinaryError.
// With the flag nothing is spawned for a target that does not resolve or holds nothing to review.
import { assert, describe } from "vitest"
import { binaryError, outcome } from "./expect.ts"
import { clean } from "./plans.ts"
import { it } from "./support.ts"

const SHA = "0123456789abcdef0123456789abcdef01234567"
const ONE = ["-n", "1", "--ceiling", "low"]

describe.concurrent("targets", () => {
  for (const target of [["--base", "no-such-branch"], ["--commit", SHA], ["--uncommitted"], ["--base", "main"]]) {
    it(`${target.join(" ")} is not checked by default, and refused by --strict-target`, async ({ world }) => {
      world.plan("default", clean)
      binaryError(await world.step(...target, ...ONE, "--strict-target"))
      assert.isEmpty(world.calls())
      outcome(await world.step(...target, ...ONE), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 1)
    })
  }

  it("--strict-target lets pass what can be reviewed", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.write("untracked.txt", "new\n")
    world.git("config", "status.showUntrackedFiles", "no")
    outcome(await world.step("--uncommitted", ...ONE, "--strict-target"), 0, "DoneFixedPoint")
    const commit = ["--commit", world.git("rev-parse", "HEAD")]
    outcome(await world.step(...commit, ...ONE, "--strict-target"), 0, "DoneFixedPoint")
    world.git("switch", "-qc", "topic")
    world.git("add", ".")
    world.git("commit", "-qm", "Two")
    outcome(await world.step("--base", "main", ...ONE, "--strict-target"), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 3)
  })
})
