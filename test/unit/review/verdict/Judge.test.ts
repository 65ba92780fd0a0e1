// Judge: what the end of a reviewer amounts to.
// The one rule: only an exit status of zero with a review in its output is a review, or a review that codex has recorded.
import { saying } from "../../../../src/run/FailureKind.ts"
import { assert, describe, it } from "vitest"
import { notShown } from "../../../../src/review/verdict/Reading.ts"
import { judge, warmUp, type Sources } from "../../../../src/review/verdict/Judge.ts"

const banner = "OpenAI Codex v0.169.0\n--------\nsession id: x\n--------\n"
const none: Sources = { session: { _tag: "Absent" }, out: "", logHead: banner, logTail: banner, reading: notShown }
const flawed = "Bad.\n\nReview comment:\n\n- [P1] Guard — a.ts:1-1\n  May be null.\n"
const ranNothing = {
  session: null,
  transcript: { succeeded: 0, failed: 0, unknown: 0, whole: true, calls: [] }
}
const kind = (sources: Partial<Sources>, status: number): string => {
  const judged = judge({ ...none, ...sources }, status)
  return judged._tag === "Failed"
    ? `${judged.kind}: ${judged.message}`
    : `${judged.verdict} ${judged.reason} ${judged.source}`
}

describe("judge", () => {
  it("finds a review where the reviewer exited with zero and left one", () => {
    assert.strictEqual(kind({ out: "I found no defects.\n" }, 0), "Clean no-defect-stated stdout")
    const judged = judge({ ...none, out: flawed }, 0)
    assert.deepInclude(judged, {
      _tag: "Reviewed",
      verdict: "HasIssues",
      reason: "rendered-findings",
      source: "stdout"
    })
    assert.deepStrictEqual(judged._tag === "Reviewed" ? judged.findings.map(({ title }) => title) : [], ["Guard"])
  })

  it("finds none in a clean review by a reviewer that read nothing; one with issues stands", () => {
    const ran = { succeeded: 0, failed: 2, unknown: 0, whole: true, calls: [] }
    for (const reading of [{ session: ran, transcript: null }, { session: null, transcript: ran }]) {
      assert.match(kind({ out: "I found no defects.\n", reading }, 0), /^Unread: .*none of the reviewer's commands/)
      assert.match(kind({ out: flawed, reading }, 0), /^HasIssues rendered-findings/)
    }
    const read = { session: { ...ran, succeeded: 1 }, transcript: null }
    assert.deepInclude(judge({ ...none, out: "I found no defects.\n", reading: read }, 0), { read: "tools" })
    assert.deepInclude(judge({ ...none, out: "I found no defects.\n" }, 0), { read: "not-shown" })
  })

  it("finds none where there is no review to be read, and says why and where", () => {
    assert.strictEqual(kind({}, 0), "NoReview: the transcript holds no review (no-verdict)")
    const unseen = "I could not access the diff.\n"
    assert.strictEqual(kind({ out: unseen }, 0), "NoReview: the standard output holds no review (diff-not-seen)")
    const session = { _tag: "Found", output: null } as const
    assert.strictEqual(kind({ session }, 0), "NoReview: the session file holds no review (session-no-review)")
  })

  it("believes no output of a reviewer that failed", () => {
    const left = { out: "No issues found.\n", logTail: `${banner}codex\nNo issues found.\n` }
    for (const status of [1, 2, 101, 126, 127, 129, 137, 143]) {
      assert.notMatch(kind(left, status), /^(?:Clean|HasIssues)/)
    }
  })

  it("names what ended a reviewer", () => {
    assert.match(kind({ logTail: "" }, 126), /^MissingBinary: .*\(exit status 126\)$/)
    assert.match(
      kind({ logTail: "No version is set\n" }, 127),
      /^MissingBinary: .*\(exit status 127\): No version is set$/
    )
    assert.strictEqual(kind({}, 137), "KilledBySignal: codex was ended by signal 9")
    assert.strictEqual(kind({}, 129), "KilledBySignal: codex was ended by signal 1")
    assert.match(kind({ logTail: "" }, 128), /^ExitStatus: /)
    assert.strictEqual(kind({ logHead: "", logTail: "" }, 3), "ExitStatus: codex gave no reason for ending")
  })

  it("takes codex's own words before the number", () => {
    const quota = `${banner}ERROR: Quota exceeded. Check your plan and billing details.\n`
    assert.match(kind({ logTail: quota, reading: ranNothing }, 1), /^Quota: Quota exceeded/)
    assert.match(kind({ logTail: quota, reading: ranNothing }, 137), /^Quota: /)
  })

  it("takes what codex has recorded before what it printed, with the reset of a quota", () => {
    const error = { words: "used up", codes: ["usage_limit_exceeded"], until: 1_893_456_000_000 }
    const printed = { logTail: `${banner}ERROR: rate limit exceeded\n`, reading: ranNothing }
    assert.strictEqual(kind({ ...printed, error }, 1), "Quota: used up; until 2030-01-01 00:00 UTC")
    assert.strictEqual(kind(printed, 1), "RateLimited: rate limit exceeded")
  })

  it("tells of a panic behind what a command printed, and believes neither", () => {
    const panic = "thread 'main' panicked at a.rs:1:1:\n401 Unauthorized\n"
    const logTail = `${banner}exec\nbash -lc x in /r\n exited 1 in 1ms:\nERROR: rate limit\n${panic}`
    const ran = { session: null, transcript: { succeeded: 0, failed: 1, unknown: 0, whole: true, calls: [] } }
    for (const reading of [ran, notShown]) {
      assert.match(kind({ logTail, reading }, 1), /^ExitStatus: thread/)
      assert.strictEqual(
        kind({ logTail, reading }, 101),
        "ExitStatus: thread 'main' panicked at a.rs:1:1: 401 Unauthorized"
      )
    }
  })

  it("finds the review that codex had recorded before something ended it", () => {
    const output = { findings: [], overall_correctness: "patch is correct", overall_explanation: "All is well." }
    const session: Sources["session"] = { _tag: "Found", output }
    assert.strictEqual(kind({ session }, 143), "Clean session-correct session")
    assert.strictEqual(kind({ session, out: flawed }, 137), "HasIssues rendered-findings stdout")
    assert.match(kind({ session: { _tag: "Found", output: null } }, 143), /^KilledBySignal/)
    assert.match(kind({ session, error: saying("stream disconnected before completion") }, 143), /^(?!Clean)/)
    // One that exits by itself says what became of it.
    assert.match(kind({ session }, 1), /^ExitStatus/)
  })
})

describe("a rehearsal", () => {
  it("reads a clean review, since such a one meets the most rules", () =>
    assert.deepInclude(warmUp(), { _tag: "Reviewed", verdict: "Clean", reason: "session-correct" }))
})
