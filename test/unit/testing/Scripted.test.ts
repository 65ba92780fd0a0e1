// Scripted: what the reviewers of tests leave, judged by the product's own verdict functions.
import { assert, describe, it } from "vitest"
import { notShown, transcriptReader } from "../../../src/review/verdict/Reading.ts"
import { judge } from "../../../src/review/verdict/Judge.ts"
import {
  clean,
  failure,
  issues,
  noReview,
  type Scripted,
  silence,
  transientFailure
} from "../../../src/testing/Scripted.ts"

const judged = ({ exit, log, out }: Scripted, reading = notShown) =>
  judge({ session: { _tag: "Absent" }, out, logHead: log, logTail: log, reading }, exit)

/** A transcript in which no command ran, so that its last words are codex's own. */
const withoutCommands = { session: null, transcript: transcriptReader().ran() }

describe("a scripted reviewer", () => {
  it.each(
    [
      ["clean", clean(), "Clean"],
      ["issues", issues(), "HasIssues"]
    ] as const
  )(
    "of %s is read so from its standard output",
    (_, scripted, verdict) => assert.deepInclude(judged(scripted), { _tag: "Reviewed", verdict, source: "stdout" })
  )

  it("of issues has one finding, with the title that is asked for", () => {
    const verdict = judged(issues(0, "Close the file"))
    assert.deepStrictEqual(verdict._tag === "Reviewed" ? verdict.findings.map(({ title }) => title) : [], [
      "Close the file"
    ])
  })

  it.each(
    [
      ["no review", noReview(), "NoReview"],
      ["a failure that stays", failure(), "NotLoggedIn"],
      ["a failure that passes", transientFailure(), "RateLimited"]
    ] as const
  )(
    "of %s has failed",
    (_, scripted, kind) => assert.deepInclude(judged(scripted, withoutCommands), { _tag: "Failed", kind })
  )

  it("takes as long as it is told, and a silent one for ever", () => {
    assert.deepStrictEqual([clean(5).after, issues(6).after, noReview(7).after, failure(8).after], [5, 6, 7, 8])
    assert.strictEqual(silence.after, Number.POSITIVE_INFINITY)
  })
})
