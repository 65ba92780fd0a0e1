// The error of a runner that does not tell what is needed, in words.
import { assert, it } from "vitest"
import { RunnerFailed, type RunnerReason } from "../../../src/ci/Runner.ts"

const reasons: ReadonlyArray<readonly [RunnerReason, RegExp]> = [
  [{ _tag: "NotSet" }, /^GITHUB_OUTPUT: it is not set \[ci is called by a step of a GitHub Actions workflow; .*\]$/],
  [{ _tag: "NoEvent", problem: "no\nJSON" }, /^GITHUB_OUTPUT: no\\nJSON \[.*docs\/ci\.md\]$/],
  [{ _tag: "SystemRefused", code: "ENOSPC", call: "write", said: "x" }, /: the disk is full .* \[see to the runner\]$/]
]

it.each(reasons)(
  "$_tag has its message",
  (reason, text) => assert.match(new RunnerFailed({ variable: "GITHUB_OUTPUT", reason }).message, text)
)
