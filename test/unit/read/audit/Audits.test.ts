// Audits: the audit of many runs, as text or as one document, and the overall verdict.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { RunRef } from "../../../../src/log/Refs.ts"
import { Output, OutputClosed, OutputFailed } from "../../../../src/platform/Process.ts"
import { auditedRun, audits, endedText, type RunEnd, runText, wordText } from "../../../../src/read/audit/Audits.ts"
import type { Word } from "../../../../src/read/audit/ReviewRun.ts"
import { forge, reviewedRun } from "../../../support/reviewedRuns.ts"
import { finished, opened, runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const options = {
  expectHead: null,
  logOnly: false,
  reclassify: false,
  version: "0.1.0",
  json: false,
  attestation: null,
  stateRoot: null
}
const missing = runRef()

const audited = (runs: ReadonlyArray<RunRef>, json = false) => {
  let said = ""
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
  return Effect.provide(audits(runs, { ...options, json }), output).pipe(Effect.map((verdict) => ({ said, verdict })))
}
const forged = Effect.tap(reviewedRun(), (one) => forge(one, opened("xhigh", 9)))

describe("the audit of runs", () => {
  it("is sound if every run is", async () => {
    const { said, verdict } = await onMachine(Effect.flatMap(reviewedRun(), (one) => audited([one, one])))
    assert.strictEqual(verdict, "Sound")
    assert.lengthOf(said.match(/^ {2}sound$/gm) ?? [], 2)
  })

  it("continues after a run that cannot be read, which outweighs sound ones", async () => {
    const { said, verdict } = await onMachine(Effect.flatMap(reviewedRun(), (one) => audited([missing, one])))
    assert.strictEqual(verdict, "Unreadable")
    assert.match(said, /\n {2}unreadable: [^\n]+\nrun [^\n]+\n[^]*\n {2}sound\n$/)
  })

  it("has findings if one run has, whatever else cannot be read", async () =>
    assert.strictEqual((await onMachine(Effect.flatMap(forged, (one) => audited([missing, one])))).verdict, "Findings"))

  it("is one document for programs", async () => {
    const { said } = await onMachine(Effect.flatMap(forged, (one) => audited([one, missing], true)))
    const { runs, sound } = JSON.parse(said)
    assert.isFalse(sound)
    assert.deepStrictEqual(runs.map(({ sound }: { sound: unknown }) => sound), [false, null])
  })
})

describe("an output", () => {
  const audit = (error: OutputClosed | OutputFailed) =>
    Effect.flatMap(
      forged,
      (one) => Effect.provide(audits([one], options), Layer.succeed(Output, { write: () => Effect.fail(error) }))
    )

  it("whose reader is gone does not change the verdict", async () =>
    assert.strictEqual(await onMachine(audit(new OutputClosed())), "Findings"))

  it("that cannot be written to fails", async () => {
    const reason = { _tag: "SystemRefused", code: "ENOSPC", call: "write", said: "no space" } as const
    assert.strictEqual((await onMachine(Effect.flip(audit(new OutputFailed({ reason })))))._tag, "OutputFailed")
  })
})

const run = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: "run-1" }
const review = (today: "Clean" | null): Word => ({
  _tag: "Reclassified",
  review: {
    recorded: { line: 3, version: "0.1.0", event: finished("Clean") },
    today: today === null
      ? null
      : { verdict: today, reason: "no-defect-stated", source: "stdout", findings: 0, read: null }
  }
})
const found: Word = { _tag: "Found", finding: { kind: "fact", line: 2, text: "a\nb" } }
const noted: Word = { _tag: "Noted", note: { line: 0, text: "is running" } }
const ended: RunEnd = {
  findings: 0,
  lines: 1,
  events: 2,
  reviews: 1,
  head: { seq: 1, hash: "ab" },
  proof: null,
  evidence: null
}

const printed = (end: RunEnd, ...words: ReadonlyArray<Word>): string =>
  runText(run) + words.map(wordText).join("") + endedText(end)

describe("an audit as text", () => {
  it("names the run, prints each word on its own line, and ends with the result", () =>
    assert.strictEqual(
      printed({ ...ended, findings: 1 }, found, noted, review("Clean"), review(null)),
      `run run-1 (repo-noremote, uncommitted)
  finding  line 2, fact: a\\nb
  note     is running
  review   line 3, low batch 1 slot 1: recorded Clean, 0 findings (as written, from stdout); today Clean, 0 findings (no-defect-stated, from stdout)
  review   line 3, low batch 1 slot 1: recorded Clean, 0 findings (as written, from stdout); today nothing: its files have changed
  checked: 1 line, 2 events, 1 review; head 1:ab
  no fixed point: the run proves nothing about its code
  1 finding: not sound
`
    ))

  it("is sound without a finding, and has no head without a line", () => {
    assert.match(printed(ended), /\n {2}sound\n$/)
    assert.match(
      printed({ ...ended, head: { seq: 0, hash: "" } }),
      /checked: 1 line, 2 events, 1 review\n/
    )
  })
})

describe("an audit as a document", () => {
  it("has the same content", () => {
    const audited = auditedRun(run, "/there", [found, noted, review("Clean"), found], { ...ended, findings: 1 })
    assert.deepInclude(audited, {
      run: { run: "run-1", repo: "repo-noremote", target: "uncommitted" },
      directory: "/there",
      findings: [{ kind: "fact", line: 2, text: "a\nb" }, { kind: "fact", line: 2, text: "a\nb" }],
      notes: [{ line: 0, text: "is running" }],
      sound: false,
      problem: null,
      checked: { lines: 1, events: 2, reviews: 1 },
      head: { seq: 1, hash: "ab" },
      proof: null
    })
    const [one] = audited.reviews
    assert.deepStrictEqual([one?.today?.verdict, one?.recorded.source], ["Clean", "stdout"])
  })
})
