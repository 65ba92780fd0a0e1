// Faults of the guard: called as the caller calls what was being done, with the reason as data.
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { GuardFault, trySync } from "../../../../src/platform/guard/Job.ts"

describe("trySync", () => {
  it("gives what its step gives", async () =>
    assert.strictEqual(await Effect.runPromise(trySync("counting", () => 7)), 7))

  it("fails with what the step throws, under the caller's name", async () => {
    const fault = await Effect.runPromise(Effect.flip(trySync("reading", () => readFileSync("/no/such/file"))))
    assert.instanceOf(fault, GuardFault)
    assert.strictEqual(fault.message, "reading: ENOENT: no such file or directory, open '/no/such/file'")
    assert.deepInclude(fault.reason, { _tag: "SystemRefused", code: "ENOENT", call: "open" })
  })
})
