// Why a command under guard could not be dealt with, in words: every reason has its text.
import { assert, describe, it } from "vitest"
import { type GuardReason, guardReasonText } from "../../../src/platform/SystemFault.ts"

describe("a reason of the guard is", () => {
  const texts: {
    readonly [T in GuardReason["_tag"]]: readonly [Extract<GuardReason, { readonly _tag: T }>, string]
  } = {
    SystemRefused: [
      { _tag: "SystemRefused", code: "EACCES", call: "open", said: "EACCES: permission denied, open '/l'" },
      "EACCES: permission denied, open '/l'"
    ],
    NoLockProgram: [
      { _tag: "NoLockProgram" },
      "none of flock, perl and python3 could take a lock; install util-linux's flock, or put it on PATH"
    ],
    NetworkFileSystem: [
      { _tag: "NetworkFileSystem", name: "NFS" },
      "cannot write safely on a network file system (NFS); keep runs on a local disk with --state-root"
    ],
    DatabaseRefused: [
      { _tag: "DatabaseRefused", why: "denied", state: null },
      "the database refused this user [check the user's name and rights, and pg_hba.conf of the server]"
    ],
    LockHeld: [
      { _tag: "LockHeld", seconds: 10 },
      "another process has held the lock for 10 seconds; call again when it has ended"
    ],
    NoDirectory: [{ _tag: "NoDirectory", path: "/work", why: null }, "is not a directory"],
    BeingStarted: [{ _tag: "BeingStarted" }, "they are already being started; call again"],
    LockHeldUnseen: [
      { _tag: "LockHeldUnseen" },
      "a process that cannot be seen from here still holds its lock; end it where it runs"
    ],
    CannotBeEnded: [
      { _tag: "CannotBeEnded", pids: [7, 8] },
      "cannot be ended: 7, 8; end them as the user that owns them"
    ]
  }
  it.each(Object.values(texts))("%o", (reason, text) => assert.strictEqual(guardReasonText(reason), text))

  it("why a directory could not be looked at, where that is known", () => {
    const why = {
      _tag: "SystemRefused",
      code: "ENOENT",
      call: "stat",
      said: "ENOENT: no such file, stat '/w'"
    } as const
    assert.strictEqual(guardReasonText({ _tag: "NoDirectory", path: "/w", why }), why.said)
  })
})
