// Job: the status of a job that has ended, the limits that struck it, and the guard's faults.
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { exitedWith, GuardFault, trySync } from "../../../../src/platform/guard/Job.ts"

describe("a job that has ended", () => {
  it("was struck by the limits that its journal names", () => {
    assert.deepStrictEqual(exitedWith(143, ["deadline"]), {
      _tag: "Exited",
      status: 143,
      deadline: true,
      oversize: false
    })
    assert.deepInclude(exitedWith(137, ["transcript"]), { deadline: false, oversize: true })
    assert.deepInclude(exitedWith(143, ["transcript", "deadline"]), { deadline: true, oversize: true })
  })

  it("was struck by none when it was stopped or failed by itself", () => {
    assert.deepInclude(exitedWith(143, ["stopped"]), { deadline: false, oversize: false })
    assert.deepInclude(exitedWith(1, []), { deadline: false, oversize: false })
  })

  it("reports a limit that struck also where it ended with 0: some versions of codex do when they are ended", () =>
    assert.deepInclude(exitedWith(0, ["deadline", "transcript"]), { deadline: true, oversize: true }))
})

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
