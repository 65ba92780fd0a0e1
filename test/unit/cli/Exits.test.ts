// The one table of what subcommands exit with.
import { assert, describe, it } from "vitest"
import { exited, exits, failed, failureExits } from "../../../src/cli/exits.ts"
import { LogDamaged } from "../../../src/log/EventLog.ts"
import { OutputClosed } from "../../../src/platform/Process.ts"

describe("a subcommand exits with", () => {
  it("0 done, 1 something wrong, 6 could not, 64 usage", () =>
    assert.deepStrictEqual(exits, { done: 0, wrong: 1, couldNot: 6, usage: 64 }))

  it("1 for a log or an attestation that is wrong, 0 where nobody reads on, 6 for every other failure", () => {
    const tags = (code: number) => Object.entries(failureExits).flatMap(([tag, exit]) => exit === code ? [tag] : [])
    assert.deepStrictEqual(tags(1), ["LogDamaged", "LogRewound", "NoAttestation", "NotAttested"])
    assert.deepStrictEqual(tags(0), ["OutputClosed"])
    assert.lengthOf(tags(6), Object.keys(failureExits).length - 5)
  })
})

describe("the ending", () => {
  it("of what was done says nothing more", () =>
    assert.deepStrictEqual(exited(exits.wrong), { stdout: "", stderr: "", code: 1 }))

  it("of a failure is one line on standard error", () =>
    assert.deepStrictEqual(failed(new LogDamaged({ path: "/a\nb", kind: "gap", line: 2, offset: 9 })), {
      stdout: "",
      stderr:
        "ooda-codex-review: /a\\nb: damaged at line 2, byte 9: gap [audit says more; --fresh starts another run]\n",
      code: 1
    }))

  it("where the reader has gone tells nobody", () =>
    assert.deepStrictEqual(failed(new OutputClosed({})), { stdout: "", stderr: "", code: 0 }))
})
