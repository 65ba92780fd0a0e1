// Reviewers: the message where codex is missing.
import { assert, describe, it } from "vitest"
import { CodexMissing } from "../../../src/review/Reviewers.ts"
import type { MissingReason } from "../../../src/platform/Binary.ts"

const message = (binary: string, reason: MissingReason): string => new CodexMissing({ binary, reason }).message

describe("a codex binary is missing", () => {
  it("in a message of bounded length", () => {
    const long = `/${"x".repeat(100_000)}`
    const said = { _tag: "SystemRefused", code: "ENAMETOOLONG", call: "stat", said: long } as const
    const reasons: ReadonlyArray<MissingReason> = [
      { _tag: "Flawed", path: long, flaw: said },
      { _tag: "NotOnPath", searched: long, unusable: [] },
      { _tag: "NotOnPath", searched: long, unusable: Array(9).fill({ path: long, flaw: { _tag: "NoFile" } }) }
    ]
    for (const reason of reasons) assert.isBelow(message(long, reason).length, 1500)
  })

  it("that says what is wrong with the file, and what to do", () => {
    const reason: MissingReason = { _tag: "Flawed", path: "/bin/codex", flaw: { _tag: "NotExecutable" } }
    const remedy = "[install codex, or name it with --codex-bin]"
    assert.strictEqual(message("/bin/codex", reason), `codex binary /bin/codex: is not executable ${remedy}`)
    assert.strictEqual(message("./codex", reason), `codex binary ./codex: /bin/codex is not executable ${remedy}`)
  })
})
