// The errors of the store in words: every reason has its message.
import { assert, describe, it } from "vitest"
import { StoreFailed, type StoreReason } from "../../../src/services/RunStore.ts"

describe("the store failed for", () => {
  const texts: {
    readonly [T in StoreReason["_tag"]]: readonly [Extract<StoreReason, { readonly _tag: T }>, string]
  } = {
    SystemRefused: [
      { _tag: "SystemRefused", code: "ENOSPC", call: "mkdir", said: "" },
      "the disk is full (ENOSPC: mkdir)"
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
      "the database refused this user [check the user's password and rights]"
    ],
    LockHeld: [
      { _tag: "LockHeld", seconds: 10 },
      "another process has held the lock for 10 seconds; call again when it has ended"
    ],
    RootIsLink: [
      { _tag: "RootIsLink" },
      "the default state root is a link; name a directory with --state-root"
    ],
    RootIsNoDirectory: [
      { _tag: "RootIsNoDirectory" },
      "the state root is not a directory; name one with --state-root"
    ],
    RootReserved: [
      { _tag: "RootReserved" },
      "a directory called .ooda is never a state root itself; name one below it, such as .ooda/state"
    ],
    RootTracked: [
      { _tag: "RootTracked", file: "state/a" },
      "git tracks files of this state root (state/a); name another directory with --state-root"
    ],
    RootUntold: [
      { _tag: "RootUntold", why: "bad index" },
      "git cannot tell whether it tracks this state root (bad index); name another with --state-root"
    ],
    OfAnotherUser: [
      { _tag: "OfAnotherUser" },
      "belongs to another user; name a directory of your own with --state-root, or trust what others put there with " +
      "--trust-state-root"
    ],
    OpenToOthers: [
      { _tag: "OpenToOthers" },
      "others can write into it; make it private (chmod 700), or trust what others put there with --trust-state-root"
    ],
    NotARun: [{ _tag: "NotARun" }, "is no run of this state root; `ooda-codex-review runs` lists those that are"],
    LinkOnTheWay: [{ _tag: "LinkOnTheWay", link: "/s/r" }, "/s/r is a link; nothing that it leads to is removed"],
    NoDirectoryOnTheWay: [
      { _tag: "NoDirectoryOnTheWay", at: "/s/r" },
      "/s/r is not a directory; remove it, or name another state root"
    ]
  }
  it.each(Object.values(texts))(
    "%o",
    (reason, text) => assert.strictEqual(new StoreFailed({ path: "/state", reason }).message, `/state: ${text}`)
  )
})
