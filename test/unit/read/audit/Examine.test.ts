// Examine: what each event gives an audit, told from the lines up to it alone.
import { assert, describe, it } from "vitest"
import { BranchName } from "../../../../src/run/Target.ts"
import { examine, nothingKnown } from "../../../../src/read/audit/ReviewRun.ts"
import {
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
import { walkedLines } from "./happenings.ts"

const stored = runRef()

/** What these lines give. */
const examined = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  examine(nothingKnown(), stored, walkedLines(...lines))
const findings = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  examined(...lines).findings.map(({ kind, line, text }) => `${line} ${kind}: ${text}`)

const running = [batchStarted({ size: 1 }), started()]
const done = [finished("Clean"), batchCompleted(tree("t1"))]

describe("a sound run", () => {
  it("gives no finding, its reviews to look up, and what it has shown", () => {
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
  it("is a log in another run's place", () => {
    assert.match(
      findings([created({ runId: "20300101T000002Z-000000001-p1" })]).join(),
      /^1 run: the log is of 20300101T000002Z/
    )
    assert.match(
      findings([created({ repoId: "other" })]).join(),
      /its directory is of 20300101T000001Z-000000001-p1 repo-noremote/
    )
  })

  it("is not a run where an earlier version put it, whose branch is called as what a target keeps", () => {
    const inside = created({ target: { _tag: "Base", branch: BranchName.make("release/latest") } })
    const at = (targetKey: string) =>
      examine(nothingKnown(), { ...stored, targetKey }, walkedLines([inside])).findings.map(({ kind }) => kind)
    assert.deepStrictEqual(["base/release/latest~", "base/release/latest", "base/release"].map(at), [[], [], ["run"]])
  })

  it("is an event before the run's creation, but not the repair of a tail", () => {
    assert.deepStrictEqual(findings([{ _tag: "StepAborted", signal: "SIGINT" }, created()]), [
      "1 run: StepAborted SIGINT: no run was created before it"
    ])
    assert.deepStrictEqual(
      findings([{ _tag: "TailRepaired", offset: 0, bytes: 1, kept: "torn/0-01234567" }, created()]),
      []
    )
  })

  it("is a transition that the rules do not give, and a fact that could not have happened", () => {
    assert.match(
      findings([created()], [opened("high", 1)]).join(),
      /^2 transition: BatchOpened high batch 1 .*: the ladder's rules give/
    )
    assert.deepStrictEqual(findings([created()], running, [started({ attempt: 2 })]), [
      "3 fact: ReviewStarted low batch 1 slot 1 attempt 2: the slot was Running already"
    ])
  })

  it("is none for an event that the transition before it explains", () =>
    assert.deepStrictEqual(
      findings([created()], [
        { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, outcome: { _tag: "Clean" }, ceiling: "xhigh" },
        opened("medium", 1)
      ]),
      []
    ))

  it("is a review that finishes its batch without a word of it", () =>
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

describe("what is no finding", () => {
  it("is code that changed under review on a strict run, whose levels it does not cover", () => {
    const strictly = [created({ strict: true })]
    const { findings, notes } = examined(strictly, running, [finished("Clean"), batchCompleted(tree("t2"))])
    assert.isEmpty(findings)
    assert.match(
      notes.map(({ line, text }) => `${line} ${text}`).join(),
      /^3 low batch 1: the code changed while it was/
    )
  })

  it("is a note where the code was not known", () =>
    assert.deepStrictEqual(
      examined([created()], running, [finished("Clean"), batchCompleted({ _tag: "Unknown", why: "git is gone" })])
        .notes,
      [{ line: 3, text: "low batch 1: what it reviewed is unknown (git is gone)" }]
    ))

  it("is anything behind an event of a newer version", () =>
    assert.deepStrictEqual(findings([created()], [{ _tag: "FromTheFuture" }], [opened("high", 1)]), []))
})

describe("a file that a line names", () => {
  const rest = { ...digest, bytes: 9 }

  it.each([
    ["the rest of a failed address's details", {
      _tag: "AddressFailed",
      level: "low",
      batch: 1,
      details: { text: "x", rest }
    }],
    [
      "the rest of a retrospective's reason",
      {
        _tag: "LevelOutcomeRecorded",
        level: "low",
        batch: 1,
        ceiling: "low",
        outcome: { _tag: "RetrospectiveChanges", reason: { text: "x", rest } }
      }
    ]
  ])("is %s", (_, event) =>
    assert.deepStrictEqual(examined([created()], [event]).texts, [
      { line: 2, name: `texts/${digest.hex}.txt`, text: rest }
    ]))
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

  it("give what they give at once, wherever they are parted", () => {
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
