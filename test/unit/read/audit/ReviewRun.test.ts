// ReviewRun: what each event gives an audit of a review run, the files that it names, and the reviewers it leaves open.
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import {
  examine,
  nothingKnown,
  reviewRunAuditor,
  type ReviewRunOptions,
  type Word
} from "../../../../src/read/audit/ReviewRun.ts"
import { type Fate, ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import { rulesVersion } from "../../../../src/review/verdict/Verdict.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { clean, issues } from "../../../../src/testing/Scripted.ts"
import { evidenceOf } from "../../../../src/testing/memory/Reviewers.ts"
import { walkedLines } from "../../../support/happenings.ts"
import {
  at,
  batchCompleted,
  batchStarted,
  created,
  digest,
  finished,
  opened,
  runRef,
  started,
  tree
} from "../../run/events.ts"

const stored = runRef()

/** What an audit examines in these lines. */
const examined = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  examine(nothingKnown(), stored, walkedLines(...lines))
const findings = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  examined(...lines).findings.map(({ kind, line, text }) => `${line} ${kind}: ${text}`)

const running = [batchStarted({ size: 1 }), started()]
const done = [finished("Clean"), batchCompleted(tree("t1"))]

describe("a sound run", () => {
  it("gives no finding, its reviews to check, and its evidence", () => {
    const found = examined([created()], running, done)
    assert.deepStrictEqual(found.findings, [])
    assert.deepStrictEqual(found.notes, [])
    assert.deepInclude(found.known, { reviews: 1, treeChanges: 0 })
    assert.deepStrictEqual(found.reviews, [{
      line: 3,
      version: "0.1.0",
      event: finished("Clean"),
      launched: { id: "id-1", line: { seq: 2, hash: "hash-2" }, program: null },
      workdir: "/repo",
      target: { _tag: "Uncommitted" },
      base: null,
      strict: false
    }])
    assert.strictEqual(found.known.shown.at.low?.line, 3)
  })
})

describe("a finding", () => {
  it("is a log in the directory of another run", () => {
    assert.match(
      findings([created({ runId: "20300101T000002Z-000000001-p1" })]).join(),
      /^1 run: the log is of 20300101T000002Z/
    )
    assert.match(
      findings([created({ repoId: "other" })]).join(),
      /its directory is of 20300101T000001Z-000000001-p1 repo-noremote/
    )
  })

  it("is not a run at the place of an earlier version, whose branch is named like a file of a target", () => {
    const inside = created({ target: { _tag: "Base", branch: BranchName.make("release/latest") } })
    const at = (targetKey: string) =>
      examine(nothingKnown(), { ...stored, targetKey }, walkedLines([inside])).findings.map(({ kind }) => kind)
    assert.deepStrictEqual(["base/release/latest~", "base/release/latest", "base/release"].map(at), [[], [], ["run"]])
  })

  it("is an event before the run's creation, except the repair of a tail", () => {
    assert.deepStrictEqual(findings([{ _tag: "StepAborted", signal: "SIGINT" }, created()]), [
      "1 run: StepAborted SIGINT: no run was created before it"
    ])
    assert.deepStrictEqual(
      findings([{ _tag: "TailRepaired", offset: 0, bytes: 1, kept: "torn/0-01234567" }, created()]),
      []
    )
  })

  it("is a transition against the rules, or an impossible fact", () => {
    assert.match(
      findings([created()], [opened("high", 1)]).join(),
      /^2 transition: BatchOpened high batch 1 .*: the ladder's rules give/
    )
    assert.deepStrictEqual(findings([created()], running, [started({ attempt: 2 })]), [
      "3 fact: ReviewStarted low batch 1 slot 1 attempt 2: the slot was Running already"
    ])
  })

  it("is not reported for an event that the transition before it explains", () =>
    assert.deepStrictEqual(
      findings([created()], [
        { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, outcome: { _tag: "Clean" }, ceiling: "xhigh" },
        opened("medium", 1)
      ]),
      []
    ))

  it("is the last review of a batch without its completion", () =>
    assert.match(
      findings([created()], running, [finished("Clean")]).join(),
      /its line does not record that the batch is complete/
    ))

  it("is a batch that was left while a reviewer was open", () =>
    assert.deepStrictEqual(findings([created()], running, [opened("medium", 1)]), [
      "3 unended: low batch 1 slot 1: the batch was left while its reviewer was open"
    ]))

  it("is code that changed under review", () =>
    assert.match(
      findings([created()], running, [finished("Clean"), batchCompleted(tree("t2"))]).join(),
      /^3 tree-changed: low batch 1: the code changed while it was under review: tree t1, .*, then tree t2, /
    ))
})

describe("no finding", () => {
  it("is code that changed under review in a strict run, whose levels it does not cover", () => {
    const strictly = [created({ strict: true })]
    const { findings, notes } = examined(strictly, running, [finished("Clean"), batchCompleted(tree("t2"))])
    assert.isEmpty(findings)
    assert.match(
      notes.map(({ line, text }) => `${line} ${text}`).join(),
      /^3 low batch 1: the code changed while it was/
    )
  })

  it("is code that was unknown: that is a note", () =>
    assert.deepStrictEqual(
      examined([created()], running, [finished("Clean"), batchCompleted({ _tag: "Unknown", why: "git is gone" })])
        .notes,
      [{ line: 3, text: "low batch 1: what it reviewed is unknown (git is gone)" }]
    ))

  it("is reported after an event of a newer version", () =>
    assert.deepStrictEqual(findings([created()], [{ _tag: "FromTheFuture" }], [opened("high", 1)]), []))
})

describe("lines examined in parts", () => {
  const lines = [
    [created()],
    running,
    [finished("HasIssues"), batchCompleted(tree("t2"))],
    [
      {
        _tag: "LevelOutcomeRecorded",
        level: "low",
        batch: 1,
        outcome: { _tag: "Addressed", count: 1 },
        ceiling: "high"
      },
      opened("low", 2, { cause: "Dropped" })
    ],
    [batchStarted({ batch: 2, size: 1 }), started({ batch: 2 })],
    [finished("Clean", { batch: 2 })]
  ]

  it("give the same as at once, wherever they are split", () => {
    const walked = walkedLines(...lines)
    const whole = examine(nothingKnown(), stored, walked)
    assert.deepInclude(whole.known, { reviews: 2, treeChanges: 1 })
    for (let at = 0; at <= walked.length; at++) {
      const first = examine(nothingKnown(), stored, walked.slice(0, at))
      const second = examine(first.known, stored, walked.slice(at))
      assert.deepStrictEqual(second.known, whole.known)
      assert.deepStrictEqual([...first.findings, ...second.findings], whole.findings)
      assert.deepStrictEqual([...first.reviews, ...second.reviews], whole.reviews)
    }
  })
})

const run = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: created().runId }
const usual: ReviewRunOptions = { logOnly: false, reclassify: false, version: "0.1.0" }

/** A machine without files beside the logs, whose reviewers left a clean review, and whose open reviewers have this fate. */
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

/** The words about these lines. */
const audited = async (lines: ReadonlyArray<ReadonlyArray<unknown>>, options: Partial<ReviewRunOptions> = {}) => {
  const auditor = reviewRunAuditor(run, { ...usual, ...options })
  const { known, words } = await Effect.runPromise(
    Effect.provide(auditor.examine(auditor.begin, walkedLines(...lines)), machine())
  )
  return { known, said: words.map(textOf) }
}

const begun = [[created()], [batchStarted({ size: 1 }), started()]]
const { log, out } = evidenceOf(clean()).digests
const read = (verdict: "Clean" | "HasIssues") =>
  finished(verdict, { log, out, rules: rulesVersion, source: "stdout", findings: 0 })

describe("the lines of a run", () => {
  it("are checked by the rules, and their reviews with their files", async () => {
    const { said } = await audited([...begun, [read("HasIssues")]])
    assert.lengthOf(said, 2)
    assert.match(said[0] ?? "", /^3 fact: ReviewFinished .*does not record that the batch is complete/)
    assert.match(said[1] ?? "", /^3 verdict: low batch 1 slot 1: recorded HasIssues.*; its files give Clean/)
    const other = evidenceOf(issues()).digests
    assert.deepStrictEqual((await audited([...begun, [finished("Clean", { log: other.log, out })]])).said.slice(1), [
      "3 transcript: low batch 1 slot 1: its log file is not the one that was recorded"
    ])
  })

  it("are shown with today's verdict on request", async () => {
    const { said } = await audited([...begun, [read("Clean")]], { reclassify: true })
    assert.include(said, "3 review: Clean")
  })

  it("are the only thing checked when only the log is audited", async () => {
    const details = { text: "x", rest: digest }
    const lines = [...begun, [{ _tag: "AddressFailed", level: "low", batch: 1, details }], [opened("high", 4)]]
    const { said } = await audited(lines, { logOnly: true })
    assert.lengthOf(said, 2)
    for (const text of said) assert.match(text, /^4 (transition|unended): /)
  })
})

describe("a reviewer without a recorded end", () => {
  const open = async (fate: Fate, later = 60_000) => {
    const { after } = walkedLines(...begun).at(-1) ?? assert.fail("no line")
    const { ended } = reviewRunAuditor(run, usual)
    const words = Effect.andThen(TestClock.setTime(Date.parse(at(2)) + later), ended(after))
    return (await Effect.runPromise(Effect.provide(words, machine(fate)))).map(textOf)
  }
  const who = "low batch 1 slot 1 attempt 1"

  it("is noted while it lives, and when the next step will record it", async () => {
    assert.deepStrictEqual(await open("Alive"), [`0 note: ${who} is running`])
    assert.deepStrictEqual(await open("Exited"), [`0 note: ${who} has ended; the next step records it`])
  })

  it("is found when none of its processes runs, unless it was just about to start", async () => {
    assert.deepStrictEqual(await open("Gone", 9_000), [`0 note: ${who} is starting`])
    assert.deepStrictEqual(await open("Gone"), [
      `0 unended: ${who} never ended: no line records its end, and none of its processes runs`
    ])
  })

  it("is not reported in a run that never started, or that needs a newer version", async () => {
    const { ended } = reviewRunAuditor(run, usual)
    for (const lines of [[[created()]], [...begun, [{ _tag: "Later" }]]]) {
      const { after } = walkedLines(...lines).at(-1) ?? assert.fail("no line")
      assert.deepStrictEqual(await Effect.runPromise(Effect.provide(ended(after), machine("Alive"))), [])
    }
  })
})
