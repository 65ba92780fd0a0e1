// StartRefused: a refusal is told by what is wrong with the target, or by what whoever looked complained of.
import { assert, it } from "vitest"
import { InputUnknown, TargetRefused } from "../../../src/review/Start.ts"
import { targetProblemText } from "../../../src/code/Git.ts"

it("tells why nothing is started", () => {
  const reason = { _tag: "NothingUncommitted" } as const
  assert.strictEqual(new TargetRefused({ reason }).message, targetProblemText(reason))
  assert.strictEqual(
    new InputUnknown({ why: "git is gone" }).message,
    "cannot tell what there is to review: git is gone [nothing was started; fix this and call again]"
  )
})
