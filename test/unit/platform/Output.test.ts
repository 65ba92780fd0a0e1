// The errors of standard output in words.
import { assert, it } from "vitest"
import { OutputClosed, OutputFailed } from "../../../src/platform/Process.ts"

it("says that its reader has gone", () =>
  assert.strictEqual(new OutputClosed({}).message, "standard output was closed by its reader"))

it("says why nothing more could be written", () => {
  const failed = new OutputFailed({ reason: { _tag: "SystemRefused", code: "ENOSPC", call: "write", said: "" } })
  assert.strictEqual(failed.message, "standard output: the disk is full (ENOSPC: write)")
})
