// SessionState: the file of a session, what is told once, and the edits of a turn.
import { assert, describe, it } from "vitest"
import {
  decodeSessionState,
  editedIn,
  empty,
  encodeSessionState,
  enterPending,
  recordEdit,
  recordFail,
  recordJudged,
  rememberVerdict,
  tellOnce
} from "../../../src/hook/Session.ts"

describe("the file of a session", () => {
  it("is read as it was written", () => {
    const entered = enterPending(empty, { path: "/a.ts", change: "k", at: 5, until: 9 })
    const failed = recordFail(entered.state, { path: "/b.ts", change: "l", seq: 7, at: 6 }, "it leaks\nhere")
    const state = recordEdit(rememberVerdict(failed, { key: "k", verdict: "PASS", reason: "", at: 5 }), "t", "/a.ts")
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(state)), state)
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(empty)), empty)
  })

  it.each([
    "",
    "{",
    "null",
    "[]",
    "{}",
    JSON.stringify({ ...empty, version: 2 }),
    JSON.stringify({ ...empty, seq: -1 }),
    JSON.stringify({ ...empty, fails: [{ path: "/a" }] })
  ])("is none where it is %j", (text) => assert.isNull(decodeSessionState(text)))

  it("may have fields of a later version", () =>
    assert.deepStrictEqual(decodeSessionState(JSON.stringify({ ...empty, more: 1 })), empty))
})

describe("what is told once", () => {
  it("is first the first time alone", () => {
    const once = tellOnce(empty, "User", "why")
    assert.isTrue(once.first)
    const again = tellOnce(once.state, "User", "for another reason")
    assert.isFalse(again.first)
    assert.strictEqual(again.state.unasked, "for another reason")
  })

  it("is told to the user although Claude has heard of it, and not the other way round", () => {
    const claude = tellOnce(empty, "Claude", "why").state
    assert.deepStrictEqual([tellOnce(claude, "Claude", "why").first, tellOnce(claude, "User", "why").first], [
      false,
      true
    ])
    const user = tellOnce(claude, "User", "why").state
    assert.deepStrictEqual([tellOnce(user, "Claude", "why").first, user.told], [false, "User"])
  })
})

describe("the edits of a turn", () => {
  it("are its paths, each once", () => {
    const state = recordEdit(recordEdit(recordEdit(empty, "1", "/a"), "1", "/b"), "1", "/a")
    assert.deepStrictEqual(editedIn(state, "1"), ["/a", "/b"])
  })

  it("stay until a gate has looked at them, whichever turn that is in", () => {
    const state = recordEdit(recordEdit(empty, "1", "/a"), "2", "/b")
    assert.deepStrictEqual([editedIn(state, "2"), editedIn(state, "3")], [["/a", "/b"], ["/a", "/b"]])
    const judged = recordJudged(state, "3")
    assert.deepStrictEqual([editedIn(judged, "3"), editedIn(judged, "4")], [["/a", "/b"], []])
    assert.deepStrictEqual(editedIn(recordEdit(judged, "3", "/c"), "3"), ["/a", "/b", "/c"])
    assert.deepStrictEqual(editedIn(recordEdit(judged, "4", "/c"), "5"), ["/c"])
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(judged)), judged)
  })
})
