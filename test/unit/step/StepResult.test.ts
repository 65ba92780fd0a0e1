// StepResult: the outcome of a failure is a BinaryError with the failure's own message.
import { assert, describe, it } from "vitest"
import { NoSuchRun } from "../../../src/run/Selection.ts"
import { HeadMoved } from "../../../src/step/OpenRun.ts"
import { LogConflict, LogMissing } from "../../../src/log/EventLog.ts"
import { CodexMissing } from "../../../src/review/Reviewers.ts"
import { BadEnvironment } from "../../../src/platform/Environment.ts"
import { outcomeOf, type StepFailure } from "../../../src/step/StepResult.ts"

describe("a failed step", () => {
  const failures: ReadonlyArray<StepFailure> = [
    new BadEnvironment({ reason: { _tag: "NoDirectory" } }),
    new CodexMissing({ binary: "codex", reason: { _tag: "NameEmpty" } }),
    new HeadMoved({ expected: { seq: 1, hash: "a".repeat(64) }, actual: { seq: 2, hash: "b".repeat(64) } }),
    new LogMissing({ path: "/log" }),
    new NoSuchRun({ reason: { _tag: "NotBegun", runId: "1" } }),
    new LogConflict({ path: "/log", expected: 1, actual: 2 })
  ]

  it.each(failures)(
    "by $_tag is a BinaryError that says why",
    (failure) => assert.deepStrictEqual(outcomeOf(failure), { _tag: "BinaryError", message: failure.message })
  )
})
