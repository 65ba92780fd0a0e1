// Target: targets and their parts, each of which has passed the product's own validation.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { BranchName, branchProblem, Target } from "../../../../src/run/Target.ts"
import { branchName, commitSha, prNumber, target, targets } from "../../../../src/testing/arbitraries/Values.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("a branch", () => {
  const names = drawn(branchName)

  it("is one that git accepts", () => {
    for (const name of names) assert.isNull(branchProblem(name))
  })

  it("has slashes, dots, letters of other scripts and what shells dislike", () => {
    for (const some of [/\//, /\./, /[é日]/, /[$&'();<>|"]/]) {
      assert.isTrue(names.some((name) => some.test(name)), `${some}`)
    }
  })
})

describe("a commit and a pull request", () => {
  it("are a full id and a number from 1 on", () => {
    for (const sha of drawn(commitSha)) assert.match(sha, /^[0-9a-f]{40}$/)
    const numbers = drawn(prNumber)
    assert.isTrue(numbers.every((number) => Number.isSafeInteger(number) && number >= 1))
    assert.isTrue(numbers.some((number) => number > 2 ** 32))
    assert.strictEqual(least(prNumber), 1)
  })
})

describe("a target", () => {
  it("is any that there is, admitted by the domain, and shrinks towards the working copy", () => {
    const all = drawn(target)
    assert.sameMembers(tagsOf(all), Object.keys(Target.cases))
    for (const one of all) assert.isTrue(Schema.is(Target)(one))
    assert.deepStrictEqual(least(target), { _tag: "Uncommitted" })
  })

  it("takes overrides", () => {
    const branch = BranchName.make("main")
    for (const one of drawn(targets.Base({ branch: fc.constant(branch) }), 20)) assert.strictEqual(one.branch, branch)
  })
})
