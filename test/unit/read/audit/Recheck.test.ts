// Recheck: a recorded review against its files: the digests, and the verdict that they give today.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Recorded } from "../../../../src/read/audit/Evidence.ts"
import { recheck, recordedOpinion, opinionText } from "../../../../src/read/audit/Recheck.ts"
import { rulesVersion } from "../../../../src/review/verdict/Verdict.ts"
import { ReviewFiles, type StoredReview } from "../../../../src/review/ReviewFiles.ts"
import { clean, issues, noReview, type Scripted } from "../../../../src/testing/Scripted.ts"
import { evidenceOf } from "../../../../src/testing/memory/Reviewers.ts"
import { finished } from "../../run/events.ts"

const run = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: "run-1" }

/** The review as it was recorded when its reviewer left what `scripted` leaves. */
const recorded = (scripted: Scripted, verdict: "Clean" | "HasIssues", rules = rulesVersion): Recorded => {
  const { log, out } = evidenceOf(scripted).digests
  const findings = verdict === "Clean" ? 0 : 1
  const event = finished(verdict, { log, out, findings, rules, reason: "as read", source: "stdout" })
  const started = {
    launched: null,
    workdir: "/repo",
    target: { _tag: "Uncommitted" },
    base: null,
    strict: false
  } as const
  return { line: 3, version: "1.0.0", event, ...started }
}
const stored = (scripted: Scripted, missing: StoredReview["missing"] = []): StoredReview => ({
  missing,
  status: scripted.exit,
  journal: { id: "id-1", line: null, end: null },
  joined: true,
  evidence: evidenceOf(scripted)
})

const checked = (review: Recorded, files: StoredReview) =>
  Effect.runPromise(
    Effect.provide(recheck(run, review, "2.0.0"), Layer.mock(ReviewFiles)({ stored: () => Effect.succeed(files) }))
  )

describe("a review whose transcript was pruned", () => {
  const pruned: StoredReview = { ...stored(issues()), pruned: true }

  it("is noted, is no finding, and gives no opinion", async () => {
    const { note, seen, ...rest } = await checked(recorded(clean(), "Clean"), {
      ...pruned,
      evidence: evidenceOf(clean())
    })
    assert.deepStrictEqual(rest, { files: [], verdict: null, today: null })
    assert.strictEqual(note, "low batch 1 slot 1: its transcript was pruned")
    assert.isTrue(seen.pruned)
  })

  it("is a finding all the same where its standard output is another one", async () => {
    const { files } = await checked(recorded(clean(), "Clean"), pruned)
    assert.deepStrictEqual(files, ["low batch 1 slot 1: its out file is not the one that was recorded"])
  })
})

describe("a review whose files give what was recorded", () => {
  it("is borne out, with today's opinion beside it", async () => {
    const { seen: _, today, ...rest } = await checked(recorded(clean(), "Clean"), stored(clean()))
    assert.deepStrictEqual(rest, { files: [], verdict: null, note: null })
    assert.deepInclude(today, { verdict: "Clean", source: "stdout", findings: 0 })
  })

  it("is borne out although the reason has another name by now", async () =>
    assert.deepInclude(await checked(recorded(issues(), "HasIssues"), stored(issues())), { verdict: null, note: null }))
})

describe("files that are not the recorded ones", () => {
  it("are named, and no verdict is read from them", async () => {
    const { files, today } = await checked(recorded(clean(), "Clean"), stored(issues()))
    assert.deepStrictEqual(files, [
      "low batch 1 slot 1: its log file is not the one that was recorded",
      "low batch 1 slot 1: its out file is not the one that was recorded"
    ])
    assert.isNull(today)
  })

  it("may be missing", async () =>
    assert.deepStrictEqual((await checked(recorded(clean(), "Clean"), stored(clean(), ["log", "exit"]))).files, [
      "low batch 1 slot 1: its log file is missing",
      "low batch 1 slot 1: its exit file is missing"
    ]))
})

it("an exit file that holds no exit status is named", async () => {
  const { files } = await checked(recorded(clean(), "Clean"), { ...stored(clean()), status: null })
  assert.deepStrictEqual(files, ["low batch 1 slot 1: its exit file holds no exit status"])
})

describe("a verdict that the files do not give", () => {
  it("is a finding where the same rules recorded it", async () => {
    const { note, verdict } = await checked(recorded(issues(), "Clean"), stored(issues()))
    assert.isNull(note)
    assert.match(
      verdict ?? "",
      /^low batch 1 slot 1: recorded Clean, 0 findings \(as read, from stdout\); its files give HasIssues, 1 finding \(/
    )
  })

  it("is only noted where other rules took it to be worse", async () => {
    const { note, verdict } = await checked(recorded(clean(), "HasIssues", 1), stored(clean()))
    assert.isNull(verdict)
    assert.match(note ?? "", /; recorded by version 1\.0\.0 with verdict rules 1, this is 2\.0\.0 with rules \d+$/)
  })

  it("is a finding whoever recorded it, where it was called clean", async () => {
    for (const scripted of [issues(), noReview()]) {
      assert.isNotNull((await checked(recorded(scripted, "Clean", 1), stored(scripted))).verdict)
    }
  })
})

describe("a clean review that today's rules only doubt", () => {
  const doubted: Scripted = { ...clean(), out: "It must be freed." }
  it("is noted, not held against the run", async () => {
    const { note, verdict } = await checked(recorded(doubted, "Clean", 1), stored(doubted))
    assert.isNull(verdict)
    assert.match(note ?? "", /its files give HasIssues, 0 findings \(in-doubt, from stdout\)/)
  })

  it("is held against a strict run, which rests on what can be shown today", async () => {
    const review = { ...recorded(doubted, "Clean", 1), strict: true }
    assert.match((await checked(review, stored(doubted))).verdict ?? "", /its files give HasIssues/)
  })
})

describe("an opinion", () => {
  it("is told in a few words, on one line", () => {
    assert.strictEqual(
      opinionText(recordedOpinion(finished("HasIssues", { reason: "a\nb", findings: 1 }))),
      "HasIssues, 1 finding (a\\nb, from stdout)"
    )
    assert.strictEqual(
      opinionText({ verdict: "NoReview", reason: "gone", source: null, findings: 0 }),
      "NoReview, 0 findings (gone)"
    )
  })
})
