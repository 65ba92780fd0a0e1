// PresentIdentity: the base that a target has now, and the identity that is asked with it.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { BranchName, PrNumber, type Target } from "../../../src/run/Target.ts"
import { baseOrLast, presentBase, presentIdentity, presentWith } from "../../../src/code/PresentIdentity.ts"
import { Memory } from "../../../src/testing.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { onMachine } from "../run/opened.ts"

const gitHub = Memory.gitHub({ 7: BranchName.make("trunk") })
const base: Target = { _tag: "Base", branch: BranchName.make("main") }
const pull = (number: number): Target => ({ _tag: "PullRequest", number: PrNumber.make(number) })
const of = (target: Target) => ({ target, worktree: "/repo" })

describe("the present base", () => {
  it("is the branch named, or what GitHub says, or none", async () => {
    const bases = await onMachine(
      Effect.forEach([base, pull(7), { _tag: "Uncommitted" } as const], (target) => presentBase(of(target))),
      { gitHub }
    )
    assert.deepStrictEqual(bases, [BranchName.make("main"), BranchName.make("trunk"), null])
  })

  it("of a pull request that GitHub does not know is a failure", async () => {
    const error = await onMachine(Effect.flip(presentBase(of(pull(8)))), { gitHub })
    assert.strictEqual(error._tag, "GitHubFailed")
  })
})

it("the last base is used if the present one is unknown", async () => {
  const last = BranchName.make("last")
  const bases = Effect.forEach([pull(7), pull(8)], (target) => baseOrLast(of(target), last))
  assert.deepStrictEqual(await onMachine(bases, { gitHub }), [BranchName.make("trunk"), last])
})

it("what was just learned is the present where it had the same base", async () => {
  const known = { base: BranchName.make("trunk"), identity: identityOf("known", "trunk") }
  const bases = [known.base, BranchName.make("main")]
  const present = await onMachine(Effect.forEach(bases, (base) => presentWith(of(pull(7)), base, known)))
  assert.deepStrictEqual(present, [known, { base: bases[1] ?? null, identity: identityOf("code-1", "main") }])
})

it("the present identity is about that base", async () => {
  const identity = await onMachine(presentIdentity(of(pull(7))), { gitHub })
  assert.deepStrictEqual(identity, identityOf("code-1", "trunk"))
})
