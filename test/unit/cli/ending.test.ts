// ending: what an invocation prints and exits with.
import { assert, describe, it } from "vitest"
import { ending, exited, failed, printEnding, usageEnding } from "../../../src/cli/ending.ts"
import { LogDamaged, LogMissing, LogRewound } from "../../../src/log/EventLog.ts"
import { exits } from "../../../src/platform/Failure.ts"
import { GuardFault } from "../../../src/platform/guard/Job.ts"
import { OutputClosed } from "../../../src/platform/Process.ts"
import { outcomeOf } from "../../../src/step/StepResult.ts"

describe("the ending", () => {
  it("of an outcome is its text, its header and its code", () =>
    assert.deepStrictEqual(ending("a line\n", { _tag: "BinaryError", message: "no" }), {
      stdout: "a line\n",
      stderr: "BinaryError: no\n",
      code: 6
    }))

  it("of a call for a text is that text", () =>
    assert.deepStrictEqual(printEnding("help"), { stdout: "help\n", stderr: "", code: 0 }))

  it("of a wrong command line names it and shows the usage", () =>
    assert.deepStrictEqual(usageEnding("unknown flag --x", "Usage: y"), {
      stdout: "",
      stderr: "UsageError: unknown flag --x\nUsage: y\n",
      code: 64
    }))
})

describe("a subcommand", () => {
  it("that did what it was asked says nothing more", () =>
    assert.deepStrictEqual(exited(exits.wrong), { stdout: "", stderr: "", code: 1 }))

  it("that failed says why in one line, and exits as the class of the error says", () => {
    assert.deepStrictEqual(failed(new LogDamaged({ path: "/a\nb", kind: "gap", line: 2, offset: 9 })), {
      stdout: "",
      stderr: "error: /a\\nb: damaged at line 2, byte 9: gap [audit says more; --fresh starts another run]\n",
      code: 1
    })
    assert.strictEqual(failed(new LogRewound({ path: "/log", kind: "rolled back" })).code, 1)
    assert.strictEqual(failed(new LogMissing({ path: "/log" })).code, 6)
  })

  it("whose reader has gone away prints nothing and has not failed", () =>
    assert.deepStrictEqual(failed(new OutputClosed({})), { stdout: "", stderr: "", code: 0 }))

  it("cannot fail with an error that has no exit code: that does not compile", () => {
    const withoutCode = new GuardFault({ what: "a job", reason: { _tag: "BeingStarted" } })
    // @ts-expect-error: a guard's error never reaches the command line.
    assert.isUndefined(failed(withoutCode).code)
    // @ts-expect-error: neither does it end a step.
    assert.strictEqual(outcomeOf(withoutCode)._tag, "BinaryError")
  })
})
