// Examine: what each event gives an audit, told from the lines up to it alone.
import { assert, describe, it } from "vitest"
import { examination, examine } from "../../../src/history/Examine.ts"
import {
  batchCompleted, batchStarted, created, digest, finished, opened, started, tree
} from "../core/run/events.ts"
import { happenings } from "./happenings.ts"

const stored = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: created().runId }

/** An examination of these lines. */
const examined = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const found = examination()
  const all = happenings(...lines)
  for (const happening of all) {
    if (happening.index === 0) found.explained = 0
    const events = all.filter(({ line }) => line === happening.line).map(({ event }) => event)
    examine(found, stored, happening, events)
  }
  return found
}
const findings = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  examined(...lines).findings.map(({ kind, line, text }) => `${line} ${kind}: ${text}`)

const running = [batchStarted({ size: 1 }), started()]
const done = [finished("Clean"), batchCompleted(tree("t1"))]

describe("a sound run", () => {
  it("gives no finding, its reviews to look up, and what it has shown", () => {
    const found = examined([created()], running, done)
    assert.deepStrictEqual(found.findings, [])
    assert.deepStrictEqual(found.notes, [])
    assert.strictEqual(found.events, 5)
    assert.deepStrictEqual(found.reviews, [{ line: 3, version: "0.1.0", event: finished("Clean") }])
    assert.strictEqual(found.shown.at.low?.line, 3)
  })
})

describe("a finding", () => {
  it("is a log in another run's place", () => {
    assert.match(findings([created({ runId: "20300101T000002Z-000000001-p1" })]).join(), /^1 run: the log is of 20300101T000002Z/)
    assert.match(findings([created({ repoId: "other" })]).join(), /its directory is of 20300101T000001Z-000000001-p1 repo-noremote/)
  })

  it("is an event before the run's creation, but not the repair of a tail", () => {
    assert.deepStrictEqual(findings([{ _tag: "StepAborted", signal: "SIGINT" }, created()]), [
      "1 run: StepAborted SIGINT: no run was created before it"
    ])
    assert.deepStrictEqual(findings([{ _tag: "TailRepaired", offset: 0, bytes: 1, kept: "torn/0-01234567" }, created()]), [])
  })

  it("is a transition that the rules do not give, and a fact that could not have happened", () => {
    assert.match(findings([created()], [opened("high", 1)]).join(), /^2 transition: BatchOpened high batch 1 .*: the ladder's rules give/)
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
    assert.match(findings([created()], running, [finished("Clean")]).join(), /its line does not record that the batch is complete/))

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
  it("is a note where the code was not known", () =>
    assert.deepStrictEqual(
      examined([created()], running, [finished("Clean"), batchCompleted({ _tag: "Unknown", why: "git is gone" })]).notes,
      [{ line: 3, text: "low batch 1: what it reviewed is unknown (git is gone)" }]
    ))

  it("is anything behind an event of a newer version", () =>
    assert.deepStrictEqual(findings([created()], [{ _tag: "FromTheFuture" }], [opened("high", 1)]), []))
})

describe("a file that a line names", () => {
  const rest = { ...digest, bytes: 9 }

  it.each([
    ["the rest of a failed address's details", { _tag: "AddressFailed", level: "low", batch: 1, details: { text: "x", rest } }],
    [
      "the rest of a retrospective's reason",
      {
        _tag: "LevelOutcomeRecorded", level: "low", batch: 1, ceiling: "low",
        outcome: { _tag: "RetrospectiveChanges", reason: { text: "x", rest } }
      }
    ]
  ])("is %s", (_, event) =>
    assert.deepStrictEqual(examined([created()], [event]).kept, [
      { line: 2, kind: "transcript", file: `texts/${digest.hex}.txt`, hex: digest.hex, bytes: 9 }
    ]))

  it("is what was cut from a torn tail, by the beginning of its digest", () =>
    assert.deepStrictEqual(examined([created()], [{ _tag: "TailRepaired", offset: 7, bytes: 3, kept: "torn/7-0123abcd" }]).kept, [
      { line: 2, kind: "torn", file: "torn/7-0123abcd", hex: "0123abcd", bytes: 3 }
    ]))
})
