// StartRefused: a refusal says what is wrong with the target.
import { assert, it } from "vitest"
import { TargetRefused } from "../../../src/review/Start.ts"
import { targetProblemText } from "../../../src/code/Git.ts"

it("says why nothing is started", () => {
  const reason = { _tag: "NothingUncommitted" } as const
  assert.strictEqual(new TargetRefused({ reason }).message, targetProblemText(reason))
})
