// SystemFault: what to do about a fault of the system, and what is said where little is known of one.
import { assert, describe, it } from "vitest"
import { isDenied, programFaultText, systemFaultText, type SystemRefused } from "../../../src/platform/SystemFault.ts"

describe("Every fault of the system in words", () => {
  const refused = (
    code: string | null,
    call: string | null = "write",
    said = `${code}: as node says it`
  ): SystemRefused => ({ _tag: "SystemRefused", code, call, said })

  describe("systemFaultText", () => {
    it("names no state where a database gave none", () =>
      assert.strictEqual(
        systemFaultText({ _tag: "DatabaseRefused", why: "unreachable", state: null }),
        "the database cannot be reached [check that it runs, and the address of the store]"
      ))

    it("says what to do, with a command for a path, if it is given the path", () => {
      const texts = ["EACCES", "EPERM", "EFBIG", "EROFS", "EIO", "ENOSPC", "EXDEV"].map((code) =>
        systemFaultText(refused(code), "/state/my run/lock")
      )
      const rights = "give this user access to it: ls -la '/state/my run' shows the rights; then call again"
      assert.deepStrictEqual(texts, [
        `no permission (EACCES: write) [${rights}]`,
        `no permission (EPERM: write) [${rights}]`,
        "the file size limit is reached (EFBIG: write) [raise the limit: ulimit -f unlimited; then call again]",
        "the file system is read-only (EROFS: write) [mount it writable, or name another place; then call again]",
        "the disk reported an input/output error (EIO: write) [check the disk: dmesg; then call again]",
        // `FullDisk` says what to do about it.
        "the disk is full (ENOSPC: write)",
        "EXDEV: as node says it"
      ])
    })

    it("names no call where the error names none", () => {
      assert.strictEqual(
        systemFaultText(refused("EIO", null)),
        "the disk reported an input/output error (EIO: file call)"
      )
    })

    it("repeats what node says of any other error", () => {
      assert.strictEqual(systemFaultText(refused("EXDEV")), "EXDEV: as node says it")
      assert.strictEqual(systemFaultText(refused(null, null, "is not a directory")), "is not a directory")
    })
  })

  it("want of permission is EACCES or EPERM", () => {
    const denied = ["EACCES", "EPERM", "ENOENT", null].map((code) => isDenied(refused(code)))
    assert.deepStrictEqual([...denied, isDenied({ _tag: "NoLockProgram" })], [true, true, false, false, false])
  })
})

describe("programFaultText", () => {
  it("of a program that was found where none is searched names the place", () => {
    const skipped = { _tag: "ProgramMissing", program: "gh", skipped: "/w/bin/gh" } as const
    assert.match(programFaultText(skipped), /^\/w\/bin\/gh is not run, because its directory in PATH is relative,/)
  })

  it("of a program that said nothing says how it ended", () => {
    const silent = { _tag: "ProgramFailed", program: "gh", said: "" } as const
    assert.strictEqual(programFaultText({ ...silent, status: 4 }), "gh ended with exit status 4")
    assert.strictEqual(programFaultText({ ...silent, status: null }), "gh ended with a signal")
    assert.strictEqual(programFaultText({ ...silent, status: null, signal: "SIGKILL" }), "gh ended with SIGKILL")
    assert.strictEqual(
      programFaultText({ ...silent, status: null, signal: "SIGXFSZ" }),
      "gh ended with SIGXFSZ: the file size limit is reached [raise the limit: ulimit -f unlimited]"
    )
  })
})
