// SessionState: the file of a session, what is told once, and the edits of a turn.
import { assert, describe, it } from "vitest"
import {
  decodeSessionState,
  editedIn,
  emptySession,
  encodeSessionState,
  enterPending,
  recordEdit,
  recordFail,
  recordJudged,
  rememberVerdict,
  reportOnce
} from "../../../src/hook/Session.ts"

describe("the file of a session", () => {
  it("is read as it was written", () => {
    const entered = enterPending(emptySession, { path: "/a.ts", change: "k", at: 5, until: 9 })
    const failed = recordFail(entered.state, { path: "/b.ts", change: "l", seq: 7, at: 6 }, "it leaks\nhere")
    const state = recordEdit(rememberVerdict(failed, { key: "k", verdict: "PASS", reason: "", at: 5 }), "t", "/a.ts")
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(state)), state)
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(emptySession)), emptySession)
  })

  it.each([
    "",
    "{",
    "null",
    "[]",
    "{}",
    JSON.stringify({ ...emptySession, version: 2 }),
    JSON.stringify({ ...emptySession, seq: -1 }),
    JSON.stringify({ ...emptySession, fails: [{ path: "/a" }] })
  ])("is none where it is %j", (text) => assert.isNull(decodeSessionState(text)))

  it("may have fields of a later version", () =>
    assert.deepStrictEqual(decodeSessionState(JSON.stringify({ ...emptySession, more: 1 })), emptySession))
})

describe("what is told once", () => {
  it("is first the first time alone", () => {
    const once = reportOnce(emptySession, "User", "why")
    assert.isTrue(once.first)
    const again = reportOnce(once.state, "User", "for another reason")
    assert.isFalse(again.first)
    assert.strictEqual(again.state.unasked, "for another reason")
  })

  it("is told to the user although Claude has heard of it, and not the other way round", () => {
    const claude = reportOnce(emptySession, "Claude", "why").state
    assert.deepStrictEqual([reportOnce(claude, "Claude", "why").first, reportOnce(claude, "User", "why").first], [
      false,
      true
    ])
    const user = reportOnce(claude, "User", "why").state
    assert.deepStrictEqual([reportOnce(user, "Claude", "why").first, user.told], [false, "User"])
  })
})

describe("the edits of a turn", () => {
  it("are its paths, each once", () => {
    const state = recordEdit(recordEdit(recordEdit(emptySession, "1", "/a"), "1", "/b"), "1", "/a")
    assert.deepStrictEqual(editedIn(state, "1"), ["/a", "/b"])
  })

  it("stay until a gate has looked at them, whichever turn that is in", () => {
    const state = recordEdit(recordEdit(emptySession, "1", "/a"), "2", "/b")
    assert.deepStrictEqual([editedIn(state, "2"), editedIn(state, "3")], [["/a", "/b"], ["/a", "/b"]])
    const judged = recordJudged(state, "3")
    assert.deepStrictEqual([editedIn(judged, "3"), editedIn(judged, "4")], [["/a", "/b"], []])
    assert.deepStrictEqual(editedIn(recordEdit(judged, "3", "/c"), "3"), ["/a", "/b", "/c"])
    assert.deepStrictEqual(editedIn(recordEdit(judged, "4", "/c"), "5"), ["/c"])
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(judged)), judged)
  })
})
