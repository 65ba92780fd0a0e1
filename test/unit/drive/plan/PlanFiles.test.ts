// The error of a plan file in words: every reason has its message, behind the file's name.
import { assert, it } from "vitest"
import { PlanFileFailed, type PlanFileReason, planFileReasonText } from "../../../../src/drive/plan/PlanFiles.ts"

const reasons: ReadonlyArray<readonly [PlanFileReason, string]> = [
  [{ _tag: "NoPlanFile" }, "no such file [ooda-codex-review implement --init FILE writes a plan to fill in]"],
  [{ _tag: "NoPlan", problem: "line 1, column 1: the plan is empty" }, "line 1, column 1: the plan is empty"],
  [{ _tag: "TooLarge", most: 7 }, "it is larger than 7 bytes [move what is long into other files]"],
  [{ _tag: "ChangedMeanwhile" }, "another process changed it at the same moment [call again]"],
  [
    { _tag: "SystemRefused", code: "EACCES", call: "open", said: "x" },
    "no permission (EACCES: open) [fix this, then call again]"
  ]
]

it.each(reasons)("$_tag has its message", (reason, text) => {
  assert.strictEqual(planFileReasonText(reason), text)
  assert.strictEqual(new PlanFileFailed({ path: "a/b", reason }).message, `a/b: ${text}`)
})
