// StoreReason: every reason of a store has its words.
import { assert, describe, it } from "vitest"
import { type StoreReason, storeReasonText } from "../../../src/run/RunStore.ts"

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
      "the database refused this user [check the user's name and rights, and pg_hba.conf of the server]"
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
    RootInDatabase: [
      { _tag: "RootInDatabase" },
      "a store in a database has no state root [leave out --state-root]"
    ],
    PullRequestOnly: [
      { _tag: "PullRequestOnly" },
      "a store in a database holds pull requests [name one with --pr NUM, or a run by its id; --state-root names a " +
      "store of this machine]"
    ],
    NotSubmitted: [
      { _tag: "NotSubmitted", number: 7 },
      "pull request 7 of this repository was not submitted to it [ooda-codex-review fleet submit]"
    ],
    NotTakenUp: [
      { _tag: "NotTakenUp", number: 7 },
      "no worker has taken up pull request 7 yet [wait, or start a worker: fleet worker]"
    ],
    NotDurable: [
      { _tag: "NotDurable", setting: "fsync" },
      "its server has fsync off, so that a crash takes what was recorded [turn it on]"
    ],
    StoreNewer: [
      { _tag: "StoreNewer" },
      "it was set up by a newer version of ooda-codex-review [use that version here]"
    ],
    RightMissing: [
      { _tag: "RightMissing" },
      "this user has no rights of this version [the owner of the store gives them: fleet init --writer USER]"
    ],
    WorkRecorded: [
      { _tag: "WorkRecorded", work: "/srv/\u001bwork" },
      "this fleet works below /srv/\\u001bwork on every machine; logs and findings hold that path [leave out --work]"
    ],
    WorkUnknown: [
      { _tag: "WorkUnknown" },
      "a fleet is set up with the path on every machine below which it reviews [fleet init --work DIR]"
    ],
    AccountUnknown: [
      { _tag: "AccountUnknown", name: "o\u001bne" },
      "there is no account o\\u001bne [add it: fleet init --account NAME=CAP]"
    ],
    RoleUnknown: [
      { _tag: "RoleUnknown", name: "o\u001bne" },
      "the database has no role o\\u001bne [create role ... login, or name another]"
    ],
    NotEmpty: [{ _tag: "NotEmpty" }, "holds something already [name a directory that is new or empty]"],
    OfAnotherUser: [
      { _tag: "OfAnotherUser" },
      "belongs to another user; name a directory of your own with --state-root, or trust what others put there with " +
      "--trust-state-root"
    ],
    OpenToOthers: [
      { _tag: "OpenToOthers" },
      "others can write into it; make it private (chmod 700), or trust what others put there with --trust-state-root"
    ],
    NotARun: [{ _tag: "NotARun" }, "is not a run of this state root; `ooda-codex-review runs` lists those that are"],
    LinkOnTheWay: [{ _tag: "LinkOnTheWay", link: "/s/r" }, "/s/r is a link; nothing that it leads to is removed"],
    NoDirectoryOnTheWay: [
      { _tag: "NoDirectoryOnTheWay", at: "/s/r" },
      "/s/r is not a directory; remove it, or name another state root"
    ]
  }
  it.each(Object.values(texts))(
    "%o",
    (reason, text) => assert.strictEqual(storeReasonText(reason), text)
  )
})
