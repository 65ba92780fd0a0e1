// Judge: what the end of a reviewer amounts to.
// The one rule: only an exit status of zero with a review in its output is a review.
import { assert, describe, it } from "vitest"
import { notShown } from "../../../../src/review/verdict/Reading.ts"
import { judge, warmUp, type Sources } from "../../../../src/review/verdict/Judge.ts"

const banner = "OpenAI Codex v0.169.0\n--------\nsession id: x\n--------\n"
const none: Sources = { session: { _tag: "Absent" }, out: "", logHead: banner, logTail: banner, reading: notShown }
const flawed = "Bad.\n\nReview comment:\n\n- [P1] Guard — a.ts:1-1\n  May be null.\n"
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
    assert.match(kind({}, 126), /^MissingBinary: .*\(exit status 126\)$/)
    assert.match(kind({}, 127), /^MissingBinary: .*\(exit status 127\)$/)
    assert.strictEqual(kind({}, 137), "KilledBySignal: codex was ended by signal 9")
    assert.strictEqual(kind({}, 129), "KilledBySignal: codex was ended by signal 1")
    assert.match(kind({ logTail: "" }, 128), /^ExitStatus: /)
    assert.strictEqual(kind({ logHead: "", logTail: "" }, 3), "ExitStatus: codex gave no reason for ending")
  })

  it("takes codex's own words before the number", () => {
    const quota = `${banner}ERROR: Quota exceeded. Check your plan and billing details.\n`
    assert.match(kind({ logTail: quota }, 1), /^Quota: Quota exceeded/)
    assert.match(kind({ logTail: quota }, 137), /^Quota: /)
  })
})

describe("a rehearsal", () => {
  it("reads a clean review, since such a one meets the most rules", () =>
    assert.deepInclude(warmUp(), { _tag: "Reviewed", verdict: "Clean", reason: "session-correct" }))
})
