// Invocations for programs: defaults, and the same refusals as on the command line.
import { assert, describe, it } from "vitest"
import { make, markProblem } from "../../../src/run/Invocation.ts"
import { BranchName, Target } from "../../../src/run/Target.ts"

const target = { _tag: "Uncommitted" } as const

describe("an invocation", () => {
  it("loops with the contract's settings by default", () => {
    const { action, settings } = make({ target })
    assert.deepStrictEqual(action, { _tag: "Loop", fresh: false })
    assert.deepInclude(settings, { target, floor: "low", ceiling: "xhigh", batchSize: 3, jobs: null })
  })

  it("keeps the values that it is given", () => {
    const mark = { _tag: "SideEffect", mark: { _tag: "RetroClean" } } as const
    const base = Target.make({ _tag: "Base", branch: BranchName.make("feature/x") })
    const { action, settings } = make({ target: base, jobs: 2 }, mark)
    assert.strictEqual(action, mark)
    assert.deepInclude(settings, { target: base, jobs: 2 })
  })
  const answers = { level: "low", batch: 1, run: null } as const
  const retroChanges = (text: string) =>
    ({ _tag: "SideEffect", mark: { _tag: "RetroChanges", reason: { text } }, answers }) as const
  const addressFailed = (text: string) =>
    ({ _tag: "SideEffect", mark: { _tag: "AddressFailed", details: { text } }, answers }) as const

  it.each(["", " ", "\n\t"])("of a strict mark needs a text; %j is refused", (text) => {
    for (
      const [action, wanted] of [
        [retroChanges(text), "--mark-retro-changes needs the reason, what was changed"],
        [addressFailed(text), "--mark-address-failed needs the details, which tests failed"]
      ] as const
    ) {
      assert.throws(
        () => make({ target, strict: true }, action),
        RangeError,
        `with --strict ${wanted}; its text is empty`
      )
      const { answers: _, ...bare } = action
      assert.strictEqual(make({ target }, bare).action, bare)
    }
    assert.strictEqual(markProblem(make({ target, strict: true }).settings, retroChanges("N+1")), null)
  })
})
