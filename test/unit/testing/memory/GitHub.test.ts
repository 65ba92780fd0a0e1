// GitHub: the GitHub of tests knows the bases it was given, and no other request.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { BranchName, PrNumber } from "../../../../src/run/Target.ts"
import { GitHub } from "../../../../src/code/GitHub.ts"
import { gitHubLayer } from "../../../../src/testing/memory/Code.ts"

const main = BranchName.make("main")
const base = (number: number) => GitHub.use(({ baseOf }) => baseOf("/repo", PrNumber.make(number)))

describe("GitHub in memory", () => {
  it("tells the base of a pull request that it was given", async () =>
    assert.strictEqual(await Effect.runPromise(Effect.provide(base(7), gitHubLayer({ 7: main }))), main))

  it("knows no other one", async () => {
    const failure = await Effect.runPromise(Effect.provide(Effect.flip(base(8)), gitHubLayer({ 7: main })))
    assert.deepInclude(failure, { _tag: "GitHubFailed", number: 8 })
    assert.include(failure.message, "no such pull request")
  })
})
