// What reaches the model: the level in each request, all reviewers at once, the right change per target.
// Judged by what the stand-in received, not by what either CLI says about itself.
import { assert, describe, it } from "vitest"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { levels } from "../../src/run/Level.ts"
import { headerOf, only, recorded } from "./recorded.ts"
import { withBench } from "./support.ts"

/** Holds every answer back until `size` requests have arrived: it ends only if all of them run at once. */
const together = (size: number, then: Policy): Policy => {
  let waiting: ReadonlyArray<() => void> = []
  return async (request) => {
    await new Promise<void>((resolve) => {
      waiting = [...waiting, resolve]
      if (waiting.length === size) { for (const go of waiting) go() }
    })
    return then(request)
  }
}

describe("the level", () => {
  for (const level of levels) {
    it(`${level} is what the model is asked for`, () =>
      withBench(() => scenarios.clean, async ({ requests, step, write }) => {
        write("one.mjs", "export const one = 1.0\n")
        const { exit, stderr } = await step("--uncommitted", "--level", level, "--ceiling", level, "-n", "1")
        assert.deepStrictEqual([exit, stderr], [0, "DoneFixedPoint\n"])
        assert.deepStrictEqual(requests.map(({ effort }) => effort), [level, level])
      }))
  }
})

describe("reviewers in parallel", () => {
  for (const size of [3, 8]) {
    it(`${size} run at once and none is left behind`, () =>
      withBench(() => together(size, scenarios.clean), async ({ reviews, running, stateRoot, step, write }) => {
        write("one.mjs", "export const one = 1.0\n")
        const { exit, stderr } = await step("--uncommitted", "--ceiling", "low", "-n", String(size))
        assert.deepStrictEqual([exit, stderr], [0, "DoneFixedPoint\n"])
        assert.lengthOf(reviews(), size)
        const finished = only(recorded(stateRoot, "uncommitted"), "ReviewFinished")
        assert.lengthOf(finished, size)
        assert.deepEqual(new Set(finished.map(({ slot }) => slot)), new Set([1, 2, 3, 4, 5, 6, 7, 8].slice(0, size)))
        assert.lengthOf(running(), 0)
      }))
  }
})

describe("the change that is reviewed", () => {
  const PAST_THE_END = "for (let i = 0; i <= xs.length; i += 1) g(xs[i])\n"

  it("is the working copy, the branch against its base, or the commit", () =>
    withBench(() => reviewer, async ({ git, stateRoot, step, write }) => {
      const ladder = ["--ceiling", "low", "-n", "1"]
      git("checkout", "--quiet", "-b", "feature")
      write("two.mjs", PAST_THE_END)
      const uncommitted = await step("--uncommitted", ...ladder)
      git("add", ".")
      git("commit", "--quiet", "--message", "Add two")
      const flawed = git("rev-parse", "HEAD")
      const base = await step("--base", "main", ...ladder)
      write("two.mjs", PAST_THE_END.replace("<=", "<"))
      git("commit", "--quiet", "--all", "--message", "Fix two")
      const commit = await step("--commit", flawed, ...ladder)
      const fixed = await step("--commit", git("rev-parse", "HEAD"), ...ladder)
      assert.deepStrictEqual([uncommitted, base, commit, fixed].map(({ stderr }) => headerOf(stderr)), [
        "HandoffAgent: AddressBatch",
        "HandoffAgent: AddressBatch",
        "HandoffAgent: AddressBatch",
        "DoneFixedPoint"
      ])
      for (const key of ["uncommitted", "base/main", `commit/${flawed}`]) {
        assert.deepInclude(only(recorded(stateRoot, key), "ReviewFinished")[0], { verdict: "HasIssues", findings: 1 })
      }
    }))
})
