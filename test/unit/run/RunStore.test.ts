// RunStore: the error of a store is one line that names the place and why, however long or odd the names in it are.
import { assert, describe, it } from "vitest"
import { StoreFailed, type StoreReason, storeReasonText } from "../../../src/run/RunStore.ts"

const refused = { _tag: "SystemRefused", call: "mkdir", said: "" } as const

describe("the failure of a store", () => {
  it.each([["/state", "/state"], [`/${"a".repeat(900)}`, "/aaa"]])("names the place %s", (path, shown) => {
    const { message } = new StoreFailed({ path, reason: { _tag: "RootIsNoDirectory" } })
    assert.isTrue(message.startsWith(shown))
    assert.isTrue(message.endsWith(": the state root is not a directory; name one with --state-root"))
    assert.isBelow(message.length, 600)
  })

  const named: ReadonlyArray<readonly [StoreReason, string]> = [
    [{ _tag: "RootTracked", file: "state/a" }, "git tracks files of this state root (state/a)"],
    [{ _tag: "RootUntold", why: "bad index" }, "git cannot tell whether it tracks this state root (bad index)"],
    [{ _tag: "NotSubmitted", number: 7 }, "pull request 7 of this repository was not submitted to it"],
    [{ _tag: "NotTakenUp", number: 7 }, "no worker has taken up pull request 7 yet"],
    [{ _tag: "NotDurable", setting: "fsync" }, "its server has fsync off"],
    [{ _tag: "WorkRecorded", work: "/srv/\u001bwork" }, "this fleet works below /srv/\\u001bwork on every machine"],
    [{ _tag: "AccountUnknown", name: "o\u001bne" }, "there is no account o\\u001bne"],
    [{ _tag: "RoleUnknown", name: "o\u001bne" }, "the database has no role o\\u001bne"],
    [{ _tag: "LinkOnTheWay", link: "/s/r" }, "/s/r is a link; nothing that it leads to is removed"],
    [{ _tag: "NoDirectoryOnTheWay", at: "/s/r" }, "/s/r is not a directory"]
  ]
  it.each(named)("says on one line what it found: %o", (reason, found) => {
    const text = storeReasonText(reason)
    assert.isTrue(text.startsWith(found), text)
    assert.notInclude(text, "\n")
  })

  it.each(["OfAnotherUser", "OpenToOthers"] as const)(
    "offers to trust a directory of others: %s",
    (_tag) => assert.match(storeReasonText({ _tag }), /, or trust what others put there with --trust-state-root$/)
  )

  it("names another place where this one is refused, but not where the disk is full", () => {
    assert.strictEqual(storeReasonText({ ...refused, code: "ENOSPC" }), "the disk is full (ENOSPC: mkdir)")
    assert.include(storeReasonText({ ...refused, code: "EACCES" }), "--state-root")
  })
})
