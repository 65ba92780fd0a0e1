// The errors of reviewer processes in words: every reason has its message.
import { assert, describe, it } from "vitest"
import { CodexMissing, ReviewerFault } from "../../../src/review/Reviewers.ts"
import type { Flaw, MissingReason } from "../../../src/platform/Binary.ts"

const message = (binary: string, reason: MissingReason): string => new CodexMissing({ binary, reason }).message

const remedy = " [install codex, or name it with --codex-bin]"

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

  const flaws: { readonly [T in Flaw["_tag"]]: readonly [Extract<Flaw, { readonly _tag: T }>, string] } = {
    Absent: [{ _tag: "Absent" }, "does not exist"],
    NoFile: [{ _tag: "NoFile" }, "is not a file"],
    NotExecutable: [{ _tag: "NotExecutable" }, "is not executable"],
    Untrusted: [
      { _tag: "Untrusted" },
      "is in the repository or in a relative directory of PATH, so it runs only if you name it by its path"
    ],
    SystemRefused: [{ _tag: "SystemRefused", code: "ELOOP", call: "stat", said: "ELOOP: loop" }, "ELOOP: loop"]
  }
  it.each(Object.values(flaws))("for the flaw %o", (flaw, text) => {
    const reason: MissingReason = { _tag: "Flawed", path: "/bin/codex", flaw }
    assert.strictEqual(message("/bin/codex", reason), `codex binary /bin/codex: ${text}${remedy}`)
    assert.strictEqual(message("./codex", reason), `codex binary ./codex: /bin/codex ${text}${remedy}`)
  })

  const reasons: {
    readonly [T in Exclude<MissingReason["_tag"], "Flawed">]: ReadonlyArray<
      readonly [Extract<MissingReason, { readonly _tag: T }>, string]
    >
  } = {
    NameEmpty: [[{ _tag: "NameEmpty" }, "the name is empty"]],
    NotOnPath: [
      [{ _tag: "NotOnPath", searched: "", unusable: [] }, "PATH is empty"],
      [{ _tag: "NotOnPath", searched: "/a:/b", unusable: [] }, "not found in PATH (/a:/b)"],
      [
        {
          _tag: "NotOnPath",
          searched: "/a:/b",
          unusable: [{ path: "/a/c", flaw: { _tag: "NoFile" } }, { path: "/b/c", flaw: { _tag: "NotExecutable" } }]
        },
        "not found in PATH; /a/c is not a file; /b/c is not executable"
      ]
    ]
  }
  it.each(Object.values(reasons).flat())(
    "for %o",
    (reason, text) => assert.strictEqual(message("c", reason), `codex binary c: ${text}${remedy}`)
  )
})

describe("a reviewer's fault", () => {
  it("says what was being done and why it could not be", () => {
    const fault = new ReviewerFault({ what: "stopping 2 reviewer(s)", reason: { _tag: "CannotBeEnded", pids: [7, 8] } })
    assert.strictEqual(
      fault.message,
      "stopping 2 reviewer(s): cannot be ended: 7, 8; end them as the user that owns them"
    )
  })
})
