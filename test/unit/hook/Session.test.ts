// Session: open FAILs, what is remembered and how long, what is reported once, and the edits of a turn.
import { assert, describe, it } from "vitest"
import {
  decodeSessionState,
  dismiss,
  editedIn,
  emptySession,
  encodeSessionState,
  enterPending,
  expire,
  failsNamed,
  knownVerdict,
  pendingAt,
  pendingFor,
  recordEdit,
  recordFail,
  recordJudged,
  recordPass,
  recordUncertain,
  rememberVerdict,
  reportOnce,
  type ReviewEnd,
  type SessionState,
  settlePending
} from "../../../src/hook/Session.ts"

const ended = (seq: number, change: Partial<ReviewEnd> = {}): ReviewEnd => ({
  path: "/a.ts",
  change: `change-${seq}`,
  seq,
  at: 1000 + seq,
  ...change
})
const open = (state: SessionState): ReadonlyArray<number> => state.fails.map(({ seq }) => seq)
const failed = (...seqs: ReadonlyArray<number>): SessionState =>
  seqs.reduce((state, seq) => recordFail(state, ended(seq), `why ${seq}`), emptySession)

describe("open FAILs", () => {
  it("are cleared by a later PASS of their path", () => {
    assert.deepStrictEqual(open(recordPass(failed(1, 2), ended(3))), [])
    assert.deepStrictEqual(open(recordPass(failed(1, 2), ended(3, { path: "/b.ts" }))), [1, 2])
  })

  it("are not cleared by an earlier PASS", () => assert.deepStrictEqual(open(recordPass(failed(1, 3), ended(2))), [3]))

  it("are not opened if the path passed since", () =>
    assert.deepStrictEqual(open(recordFail(recordPass(emptySession, ended(2)), ended(1), "late")), []))

  it("depend on the later review, whichever ends first", () => {
    const passed = recordPass(recordPass(emptySession, ended(5)), ended(2))
    assert.deepStrictEqual(open(recordFail(passed, ended(4), "late")), [])
    assert.deepStrictEqual(open(recordFail(passed, ended(6), "new")), [6])
  })

  it("are one per change, with the last reason", () => {
    const again = recordFail(failed(1, 2), ended(4, { change: "change-1" }), "again")
    assert.deepStrictEqual(again.fails.map(({ reason, seq }) => [seq, reason]), [[2, "why 2"], [4, "again"]])
    const late = recordFail(again, ended(3, { change: "change-1" }), "late")
    assert.deepStrictEqual(open(late), [2, 4])
  })

  it("stay after an uncertain review", () => {
    const { seq, state } = enterPending(failed(1), { path: "/a.ts", change: "x", at: 1, until: 9 })
    const after = recordUncertain(state, ended(seq))
    assert.deepStrictEqual(after.fails, state.fails)
    assert.deepStrictEqual(after.pending, [])
    assert.deepStrictEqual(after.passed, [])
  })

  it("can be dismissed one by one, and the same change opens none again", () => {
    const state = failed(1, 2)
    const [fail] = failsNamed(state, "change-1")
    assert.isDefined(fail)
    if (fail === undefined) return
    const after = dismiss(state, fail, "a false alarm", 5)
    assert.deepStrictEqual(open(after), [2])
    assert.deepStrictEqual(open(recordFail(after, ended(7, { change: "change-1" }), "again")), [2])
    assert.deepStrictEqual(open(recordFail(after, ended(7, { change: "other" }), "new")), [2, 7])
    assert.strictEqual(after.dismissed[0]?.why, "a false alarm")
  })

  it("are named by their path or the start of their change", () => {
    assert.lengthOf(failsNamed(failed(1, 2), "/a.ts"), 2)
    assert.lengthOf(failsNamed(failed(1, 2), "change"), 2)
    assert.lengthOf(failsNamed(failed(1, 2), "chang"), 0)
    assert.lengthOf(failsNamed(failed(1, 2), ""), 0)
  })
})

describe("pending reviews", () => {
  const first = enterPending(emptySession, { path: "/a.ts", change: "x", at: 10, until: 20 })
  const second = enterPending(first.state, { path: "/b.ts", change: "y", at: 12, until: 30 })

  it("have growing numbers", () => assert.deepStrictEqual([first.seq, second.seq], [1, 2]))

  it("are waited for until their time is over, and not if the clock went back", () => {
    assert.deepStrictEqual(pendingAt(second.state, 19).map(({ seq }) => seq), [1, 2])
    assert.deepStrictEqual(pendingAt(second.state, 20).map(({ seq }) => seq), [2])
    assert.deepStrictEqual(pendingAt(second.state, 11).map(({ seq }) => seq), [1])
    assert.strictEqual(pendingFor(second.state, "y", 15)?.seq, 2)
    assert.isNull(pendingFor(second.state, "z", 15))
  })

  it("end with any result, by their number", () => {
    for (
      const after of [
        settlePending(second.state, 1),
        recordPass(second.state, ended(1)),
        recordFail(second.state, ended(1), ""),
        recordFail(recordPass(second.state, ended(9)), ended(1), "")
      ]
    ) assert.deepStrictEqual(after.pending.map(({ seq }) => seq), [2])
  })
})

describe("a remembered verdict", () => {
  const state = rememberVerdict(emptySession, { key: "k", verdict: "FAIL", reason: "it leaks", at: 1000 })

  it("is found for 300 seconds, and not before its time", () => {
    assert.strictEqual(knownVerdict(state, "k", 1000)?.reason, "it leaks")
    assert.strictEqual(knownVerdict(state, "k", 300_999)?.verdict, "FAIL")
    assert.isNull(knownVerdict(state, "k", 301_000))
    assert.isNull(knownVerdict(state, "k", 999))
    assert.isNull(knownVerdict(state, "l", 1000))
  })

  it("is the last one of its edit", () => {
    const again = rememberVerdict(state, { key: "k", verdict: "PASS", reason: "", at: 2000 })
    assert.lengthOf(again.seen, 1)
    assert.strictEqual(knownVerdict(again, "k", 2000)?.verdict, "PASS")
  })

  it("is one of at most a hundred", () => {
    let many = emptySession
    for (let i = 0; i < 150; i++) many = rememberVerdict(many, { key: `${i}`, verdict: "PASS", reason: "", at: i })
    assert.lengthOf(many.seen, 100)
    assert.isNull(knownVerdict(many, "49", 200))
    assert.isNotNull(knownVerdict(many, "50", 200))
  })
})

describe("expired entries", () => {
  const week = 7 * 24 * 3_600_000

  it("are removed: after a week, a review after its time, a verdict after 300 seconds", () => {
    const [fail] = failed(1).fails
    assert.isDefined(fail)
    if (fail === undefined) return
    const entered = enterPending(failed(1), { path: "/a.ts", change: "x", at: 10, until: 20 }).state
    const state = rememberVerdict(recordPass(dismiss(entered, fail, "", 1001), ended(0, { path: "/b" })), {
      key: "k",
      verdict: "PASS",
      reason: "",
      at: 10
    })
    const counts = (now: number) => {
      const { dismissed, fails, passed, pending, seen } = expire({ ...state, fails: [fail] }, now)
      return [fails, dismissed, passed, pending, seen].map(({ length }) => length)
    }
    assert.deepStrictEqual(counts(15), [1, 1, 1, 1, 1])
    assert.deepStrictEqual(counts(20), [1, 1, 1, 0, 1])
    assert.deepStrictEqual(counts(300_010), [1, 1, 1, 0, 0])
    assert.deepStrictEqual(counts(1001 + week), [0, 0, 0, 0, 0])
  })
})

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
  ])("is invalid if it is %j", (text) => assert.isNull(decodeSessionState(text)))

  it("may have fields of a later version", () =>
    assert.deepStrictEqual(decodeSessionState(JSON.stringify({ ...emptySession, more: 1 })), emptySession))
})

describe("a report that is made once", () => {
  it("is made only the first time", () => {
    const once = reportOnce(emptySession, "User", "why")
    assert.isTrue(once.first)
    const again = reportOnce(once.state, "User", "for another reason")
    assert.isFalse(again.first)
    assert.strictEqual(again.state.unasked, "for another reason")
  })

  it("is made to the user although Claude has read it, but not the other way round", () => {
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
  it("are its paths, once each", () => {
    const state = recordEdit(recordEdit(recordEdit(emptySession, "1", "/a"), "1", "/b"), "1", "/a")
    assert.deepStrictEqual(editedIn(state, "1"), ["/a", "/b"])
  })

  it("stay until a gate checked them, in whichever turn", () => {
    const state = recordEdit(recordEdit(emptySession, "1", "/a"), "2", "/b")
    assert.deepStrictEqual([editedIn(state, "2"), editedIn(state, "3")], [["/a", "/b"], ["/a", "/b"]])
    const judged = recordJudged(state, "3")
    assert.deepStrictEqual([editedIn(judged, "3"), editedIn(judged, "4")], [["/a", "/b"], []])
    assert.deepStrictEqual(editedIn(recordEdit(judged, "3", "/c"), "3"), ["/a", "/b", "/c"])
    assert.deepStrictEqual(editedIn(recordEdit(judged, "4", "/c"), "5"), ["/c"])
    assert.deepStrictEqual(decodeSessionState(encodeSessionState(judged)), judged)
  })
})
