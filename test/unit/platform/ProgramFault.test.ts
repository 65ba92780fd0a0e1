// Every fault of a helper program in words.
import { assert, describe, it } from "vitest"
import { type ProgramFault, programFaultText } from "../../../src/platform/SystemFault.ts"

describe("programFaultText", () => {
  const texts: {
    readonly [T in ProgramFault["_tag"]]: readonly [Extract<ProgramFault, { readonly _tag: T }>, string]
  } = {
    ProgramMissing: [{ _tag: "ProgramMissing", program: "git" }, "git is not installed or not on PATH"],
    ProgramTooSlow: [{ _tag: "ProgramTooSlow", program: "gh" }, "gh did not answer in time"],
    ProgramFailed: [{ _tag: "ProgramFailed", program: "git", status: 128, said: "fatal: no" }, "fatal: no"]
  }
  it.each(Object.values(texts))("%o", (fault, text) => assert.strictEqual(programFaultText(fault), text))

  it("of a program that was found where none is searched names the place", () => {
    const skipped = { _tag: "ProgramMissing", program: "gh", skipped: "/w/bin/gh" } as const
    assert.match(programFaultText(skipped), /^\/w\/bin\/gh is not run, because its directory in PATH is relative,/)
  })

  it("of a program that said nothing tells how it ended", () => {
    const silent = { _tag: "ProgramFailed", program: "gh", said: "" } as const
    assert.strictEqual(programFaultText({ ...silent, status: 4 }), "gh ended with exit status 4")
    assert.strictEqual(programFaultText({ ...silent, status: null }), "gh ended with a signal")
  })
})
