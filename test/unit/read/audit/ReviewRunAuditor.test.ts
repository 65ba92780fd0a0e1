// What an audit looks at in a review run: its events, the files that they name, and the reviewers it leaves open.
import { Effect, Layer } from "effect"
import { rulesVersion } from "../../../../src/review/verdict/Verdict.ts"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import {
  nothingKnown,
  reviewRunAuditor,
  type ReviewRunOptions,
  type Word
} from "../../../../src/read/audit/ReviewRun.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { type Fate, ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import { evidenceOf } from "../../../../src/testing/memory/Reviewers.ts"
import { clean, issues } from "../../../../src/testing/Scripted.ts"
import { at, batchStarted, created, digest, finished, opened, started } from "../../run/events.ts"
import { walkedLines } from "./happenings.ts"

const run = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: created().runId }
const usual: ReviewRunOptions = { logOnly: false, reclassify: false, version: "0.1.0" }

/** A machine that keeps no file beside the logs, whose reviewers left a clean review, and whose open ones are as said. */
const machine = (fate: Fate = "Gone") =>
  Layer.mergeAll(
    Layer.mock(RunStore)({
      targetPlace: () => assert.fail("no place is asked for"),
      runPlaces: () => assert.fail("no place is asked for"),
      batchPlaces: () => assert.fail("no place is asked for"),
      digest: () => Effect.succeed(null)
    }),
    Layer.mock(ReviewFiles)({
      fate: () => Effect.succeed(fate),
      stored: () =>
        Effect.succeed({
          missing: [],
          status: 0,
          journal: { id: "id-1", line: null, end: null },
          joined: true,
          evidence: evidenceOf(clean())
        })
    }),
    TestClock.layer()
  )

const textOf = (word: Word): string => {
  switch (word._tag) {
    case "Found":
      return `${word.finding.line} ${word.finding.kind}: ${word.finding.text}`
    case "Noted":
      return `${word.note.line} note: ${word.note.text}`
    case "Reclassified":
      return `${word.review.recorded.line} review: ${word.review.today?.verdict}`
  }
}

/** What is said of lines. */
const examined = async (lines: ReadonlyArray<ReadonlyArray<unknown>>, options: Partial<ReviewRunOptions> = {}) => {
  const auditor = reviewRunAuditor(run, { ...usual, ...options })
  const { known, words } = await Effect.runPromise(
    Effect.provide(auditor.examine(auditor.begin, walkedLines(...lines)), machine())
  )
  return { known, said: words.map(textOf) }
}

const running = [[created()], [batchStarted({ size: 1 }), started()]]
const { log, out } = evidenceOf(clean()).digests
const read = (verdict: "Clean" | "HasIssues") =>
  finished(verdict, { log, out, rules: rulesVersion, source: "stdout", findings: 0 })

describe("the lines of a run", () => {
  it("are known behind them as their events say", async () => {
    assert.deepStrictEqual(reviewRunAuditor(run, usual).begin, nothingKnown())
    const { known } = await examined([...running, [read("Clean")]])
    assert.deepInclude(known, { reviews: 1, treeChanges: 0 })
  })

  it("are held to the rules, and their reviews to the files that they were read from", async () => {
    const { said } = await examined([...running, [read("HasIssues")]])
    assert.lengthOf(said, 2)
    assert.match(said[0] ?? "", /^3 fact: ReviewFinished .*does not record that the batch is complete/)
    assert.match(said[1] ?? "", /^3 verdict: low batch 1 slot 1: recorded HasIssues.*; its files give Clean/)
    const other = evidenceOf(issues()).digests
    assert.deepStrictEqual((await examined([...running, [finished("Clean", { log: other.log, out })]])).said.slice(1), [
      "3 transcript: low batch 1 slot 1: its log file is not the one that was recorded"
    ])
  })

  it("are shown what the reviews are to today's classifier, where that is asked for", async () => {
    const { said } = await examined([...running, [read("Clean")]], { reclassify: true })
    assert.include(said, "3 review: Clean")
  })

  it("name long texts, which must be there", async () => {
    const details = { text: "x", rest: digest }
    const { said } = await examined([...running, [{ _tag: "AddressFailed", level: "low", batch: 1, details }]])
    assert.deepStrictEqual(said, [`3 transcript: texts/${digest.hex}.txt, which this line names, is missing`])
  })

  it("are all that is looked at, where only the log is asked for", async () => {
    const details = { text: "x", rest: digest }
    const lines = [...running, [{ _tag: "AddressFailed", level: "low", batch: 1, details }], [opened("high", 4)]]
    const { said } = await examined(lines, { logOnly: true })
    assert.lengthOf(said, 2)
    for (const text of said) assert.match(text, /^4 (transition|unended): /)
  })
})

describe("a reviewer that no line says has ended", () => {
  const open = async (fate: Fate, later = 60_000) => {
    const { after } = walkedLines(...running).at(-1) ?? assert.fail("no line")
    const { ended } = reviewRunAuditor(run, usual)
    const words = Effect.andThen(TestClock.setTime(Date.parse(at(2)) + later), ended(after))
    return (await Effect.runPromise(Effect.provide(words, machine(fate)))).map(textOf)
  }
  const who = "low batch 1 slot 1 attempt 1"

  it("is noted while it lives, and when the next step will record it", async () => {
    assert.deepStrictEqual(await open("Alive"), [`0 note: ${who} is running`])
    assert.deepStrictEqual(await open("Exited"), [`0 note: ${who} has ended; the next step records it`])
  })

  it("is found when nothing of it runs, unless it was to start a moment ago", async () => {
    assert.deepStrictEqual(await open("Gone", 9_000), [`0 note: ${who} is starting`])
    assert.deepStrictEqual(await open("Gone"), [
      `0 unended: ${who} never ended: no line records its end, and none of its processes runs`
    ])
  })

  it("is none in a run that has not begun, or whose state a newer version alone knows", async () => {
    const { ended } = reviewRunAuditor(run, usual)
    for (const lines of [[[created()]], [...running, [{ _tag: "Later" }]]]) {
      const { after } = walkedLines(...lines).at(-1) ?? assert.fail("no line")
      assert.deepStrictEqual(await Effect.runPromise(Effect.provide(ended(after), machine("Alive"))), [])
    }
  })
})
