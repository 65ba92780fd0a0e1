// Every fault of the system in words.
import { assert, describe, it } from "vitest"
import { isDenied, type SystemFault, systemFaultText, type SystemRefused } from "../../../src/platform/SystemFault.ts"

const refused = (
  code: string | null,
  call: string | null = "write",
  said = `${code}: as node says it`
): SystemRefused => ({ _tag: "SystemRefused", code, call, said })

describe("systemFaultText", () => {
  const texts: {
    readonly [T in SystemFault["_tag"]]: readonly [Extract<SystemFault, { readonly _tag: T }>, string]
  } = {
    SystemRefused: [refused("ENOSPC"), "the disk is full (ENOSPC: write)"],
    NoLockProgram: [
      { _tag: "NoLockProgram" },
      "none of flock, perl and python3 could take a lock; install util-linux's flock, or put it on PATH"
    ],
    NetworkFileSystem: [
      { _tag: "NetworkFileSystem", name: "NFS" },
      "cannot write safely on a network file system (NFS); keep runs on a local disk with --state-root"
    ],
    LockHeld: [
      { _tag: "LockHeld", seconds: 10 },
      "another process has held the lock for 10 seconds; call again when it has ended"
    ],
    DatabaseRefused: [
      { _tag: "DatabaseRefused", why: "busy", state: "40001" },
      "SQLSTATE 40001: the database is busy [call again]"
    ]
  }
  it.each(Object.values(texts))("%o", (fault, text) => assert.strictEqual(systemFaultText(fault), text))

  it("names no state where a database gave none", () =>
    assert.strictEqual(
      systemFaultText({ _tag: "DatabaseRefused", why: "unreachable", state: null }),
      "the database cannot be reached [check that it runs, and the address of the store]"
    ))

  it("explains the codes that people meet", () => {
    const words = ["EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO"].map((code) => systemFaultText(refused(code)))
    assert.deepStrictEqual(words, [
      "the disk quota is used up (EDQUOT: write)",
      "the file size limit is reached (EFBIG: write)",
      "the file system is read-only (EROFS: write)",
      "no permission (EACCES: write)",
      "no permission (EPERM: write)",
      "the disk reported an input/output error (EIO: write)"
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
