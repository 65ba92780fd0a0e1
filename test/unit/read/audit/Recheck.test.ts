// Recheck: recorded reviews, kept texts and waivers compared with their files.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Recorded } from "../../../../src/read/audit/Evidence.ts"
import {
  type KeptFile,
  keptFinding,
  recheck,
  recheckWaived,
  textsOf,
  type WaivedBatch,
  waivedProblem
} from "../../../../src/read/audit/Recheck.ts"
import { ReviewFiles, type StoredReview } from "../../../../src/review/ReviewFiles.ts"
import { findingOf } from "../../../../src/review/findings/Finding.ts"
import { dismissalOf, waiverText } from "../../../../src/review/findings/Waiving.ts"
import { rulesVersion } from "../../../../src/review/verdict/Verdict.ts"
import type { StartedBatch } from "../../../../src/run/Batch.ts"
import type { Dismissal, WaivedFinding } from "../../../../src/run/Dismissal.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { Scripted as scripts } from "../../../../src/testing.ts"
import { clean, issues, noReview, type Scripted } from "../../../../src/testing/Scripted.ts"
import { evidenceOf } from "../../../../src/testing/memory/Reviewers.ts"
import { batchStarted, created, digest, finished, given, runRef, started } from "../../run/events.ts"

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

  it("is noted, is not a finding, and has no verdict today", async () => {
    const { note, seen, ...rest } = await checked(recorded(clean(), "Clean"), {
      ...pruned,
      evidence: evidenceOf(clean())
    })
    assert.deepStrictEqual(rest, { files: [], verdict: null, today: null })
    assert.strictEqual(note, "low batch 1 slot 1: its transcript was pruned")
    assert.isTrue(seen.pruned)
  })

  it("is still a finding if its standard output differs", async () => {
    const { files } = await checked(recorded(clean(), "Clean"), pruned)
    assert.deepStrictEqual(files, ["low batch 1 slot 1: its out file is not the one that was recorded"])
  })
})

describe("a review whose files confirm the record", () => {
  it("is confirmed, with today's verdict beside it", async () => {
    const { seen: _, today, ...rest } = await checked(recorded(clean(), "Clean"), stored(clean()))
    assert.deepStrictEqual(rest, { files: [], verdict: null, note: null })
    assert.deepInclude(today, { verdict: "Clean", source: "stdout", findings: 0 })
  })

  it("is confirmed although the reason has another name today", async () =>
    assert.deepInclude(await checked(recorded(issues(), "HasIssues"), stored(issues())), { verdict: null, note: null }))
})

describe("files that differ from the recorded ones", () => {
  it("are listed, and no verdict is read from them", async () => {
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

it("an exit file without an exit status is listed", async () => {
  const { files } = await checked(recorded(clean(), "Clean"), { ...stored(clean()), status: null })
  assert.deepStrictEqual(files, ["low batch 1 slot 1: its exit file holds no exit status"])
})

describe("a reviewer that was killed with its wrapper", () => {
  const words = "The change does what it says and breaks nothing."
  const output = { findings: [], overall_correctness: "patch is correct", overall_explanation: words }
  const killed = (change: Partial<StoredReview> = {}): StoredReview => ({
    ...stored(clean(), ["exit"]),
    status: null,
    evidence: { ...evidenceOf(clean()), session: { _tag: "Found", output } },
    ...change
  })
  const { event, ...rest } = recorded(clean(), "Clean")
  const bySession = { ...rest, event: { ...event, source: "session", reason: "session-correct" } } as const

  it("needs no exit status if the review that codex recorded is kept", async () => {
    const { files, seen, verdict } = await checked(bySession, killed({ joined: false }))
    assert.deepStrictEqual([files, verdict, seen.transcript], [[], null, []])
  })

  it.each<[string, Partial<StoredReview>]>([
    ["its journal has an end", { journal: { id: "id-1", line: null, end: { status: 0, logBytes: 1, outBytes: 1 } } }],
    ["it has no journal", { journal: null }],
    ["no such review is kept", { evidence: evidenceOf(clean()) }]
  ])(
    "needs it if %s",
    async (_, change) =>
      assert.deepStrictEqual((await checked(bySession, killed(change))).files, [
        "low batch 1 slot 1: its exit file is missing"
      ])
  )
})

describe("a verdict that differs from the files", () => {
  it("is a finding if the same rules recorded it", async () => {
    const { note, verdict } = await checked(recorded(issues(), "Clean"), stored(issues()))
    assert.isNull(note)
    assert.match(
      verdict ?? "",
      /^low batch 1 slot 1: recorded Clean, 0 findings \(as read, from stdout\); its files give HasIssues, 1 finding \(/
    )
  })

  it("is only noted if other rules recorded a worse one", async () => {
    const { note, verdict } = await checked(recorded(clean(), "HasIssues", 1), stored(clean()))
    assert.isNull(verdict)
    assert.match(note ?? "", /; recorded by version 1\.0\.0 with verdict rules 1, this is 2\.0\.0 with rules \d+$/)
  })

  it("is only noted if other rules found it clean in another source", async () => {
    const { event, ...rest } = recorded(clean(), "Clean", 1)
    const { note, verdict } = await checked({ ...rest, event: { ...event, source: "session" } }, stored(clean()))
    assert.isNull(verdict)
    assert.match(note ?? "", /from session\); its files give Clean, 0 findings \([^)]*from stdout\)/)
  })

  it("is always a finding if it was recorded as clean", async () => {
    for (const scripted of [issues(), noReview()]) {
      assert.isNotNull((await checked(recorded(scripted, "Clean", 1), stored(scripted))).verdict)
    }
  })
})

describe("a clean review that is in doubt by today's rules", () => {
  const doubted: Scripted = { ...clean(), out: "It must be freed." }
  it("is noted, not a finding", async () => {
    const { note, verdict } = await checked(recorded(doubted, "Clean", 1), stored(doubted))
    assert.isNull(verdict)
    assert.match(note ?? "", /its files give HasIssues, 0 findings \(in-doubt, from stdout\)/)
  })

  it("is a finding in a strict run, which needs proof by today's rules", async () => {
    const review = { ...recorded(doubted, "Clean", 1), strict: true }
    assert.match((await checked(review, stored(doubted))).verdict ?? "", /its files give HasIssues/)
  })
})

const keptText: KeptFile = { kept: "text", file: `texts/${digest.hex}.txt`, hex: digest.hex, bytes: digest.bytes }
const torn: KeptFile = { kept: "torn", file: "torn/7-abababab", hex: "abababab", bytes: digest.bytes }

/** What is wrong with a file, and which names were looked up. */
const found = async (file: KeptFile, there: typeof digest | null = digest) => {
  const asked: Array<string> = []
  const unasked = () => assert.fail("no place is asked for")
  const store = Layer.mock(RunStore)({
    targetPlace: unasked,
    runPlaces: unasked,
    batchPlaces: unasked,
    digest: (_, name) => Effect.sync(() => (asked.push(name), there))
  })
  const finding = await Effect.runPromise(Effect.provide(keptFinding(run, file), store))
  return { finding, asked }
}

describe("a kept file", () => {
  it.each([["the rest of a text", keptText], ["what was cut from a torn tail", torn]])(
    "that is unchanged is fine: %s",
    async (_, file) => assert.deepStrictEqual(await found(file), { finding: null, asked: [file.file] })
  )

  it("that is missing is found", async () =>
    assert.strictEqual((await found(keptText, null)).finding, `${keptText.file}, which this line names, is missing`))

  it("with other bytes, or of another length, is found", async () => {
    for (const other of [{ ...digest, hex: "cd".repeat(32) }, { ...digest, bytes: 13 }]) {
      const { finding } = await found(torn, other)
      assert.strictEqual(finding, "torn/7-abababab, which this line names, is not the recorded one")
    }
  })

  it.each(["../../etc/passwd", "texts/../manifest.jsonl", `torn/${"ab".repeat(32)}.txt`, "texts/x\n"])(
    "with a name that the program never gives is not even looked up: %j",
    async (file) => {
      const { asked, finding } = await found({ ...keptText, file })
      assert.deepStrictEqual(asked, [])
      assert.match(finding ?? "", /^[^\n]*, which this line names, is no name of a kept file$/)
    }
  )
})

const at = { level: "low", batch: 1 } as const
const long = { text: "t", rest: digest }
const dismissed = { fingerprint: "0".repeat(16), priority: null, path: null, wordings: [], until: null }
const keeping: ReadonlyArray<Event> = [
  { _tag: "AddressFailed", ...at, details: long },
  { _tag: "LevelOutcomeRecorded", ...at, outcome: { _tag: "RetrospectiveChanges", reason: long }, ceiling: "low" },
  { _tag: "FindingDismissed", ...dismissed, reason: long },
  { _tag: "BatchWaived", ...at, block: 3, findings: [], rest: digest }
]

it("a text that is kept beside the log is named by its digest", () => {
  for (const event of keeping) {
    assert.deepStrictEqual(textsOf(event, 7), [{ line: 7, name: `texts/${digest.hex}.txt`, text: digest }], event._tag)
  }
})

it("a text that is whole in the log is not listed, and other events have none", () => {
  for (const event of [{ _tag: "AddressFailed", ...at, details: { text: "t" } } as const, started()]) {
    assert.deepStrictEqual(textsOf(event, 7), [])
  }
})

const place = { path: "/repo/src/main.ts", lines: { start: 3, end: 4 } }
const reported = findingOf(
  { title: "Check the bound", body: "The index may equal the length.", priority: 1, place },
  1,
  "/repo"
)
const { fingerprint } = reported
const light: WaivedFinding = { fingerprint, title: reported.title, priority: 1, because: { _tag: "BelowBlock" } }
const dismissal: Dismissal = {
  ...dismissalOf([reported], fingerprint) ?? assert.fail("no finding"),
  reason: "so",
  at: "",
  until: "2026-12-31",
  scope: "run"
}
const waivedByDismissal: WaivedFinding = {
  ...light,
  because: { _tag: "Dismissed", scope: "run", reason: "so", until: "2026-12-31" }
}
const { log, out } = evidenceOf(scripts.issues()).digests
const state = given([created({ strict: true })], [
  batchStarted({ size: 1 }),
  started(),
  finished("HasIssues", { findings: 1, log, out })
])
const reviews: StartedBatch = state.batch._tag === "Started" ? state.batch : assert.fail("not started")

const waived = (
  findings: ReadonlyArray<WaivedFinding>,
  block: 0 | 1 = 0,
  at = "2026-12-31T23:59:00.000Z"
): WaivedBatch => ({
  line: { seq: 4, at },
  event: { _tag: "BatchWaived", level: "low", batch: 1, block, findings },
  flawed: { reviews },
  dismissed: [dismissal],
  worktree: "/repo"
})

describe("a waiver", () => {
  it("is valid for a light finding, or for one dismissed with this reason and date", () => {
    for (const one of [waived([light]), waived([waivedByDismissal], 1)]) assert.isNull(waivedProblem([reported], one))
    const repo: WaivedFinding = { ...light, because: { _tag: "Dismissed", scope: "repo", reason: "any", until: null } }
    assert.isNull(waivedProblem([reported], waived([repo], 1)))
  })

  const wrong: ReadonlyArray<readonly [string, WaivedBatch, RegExp]> = [
    ["weighs enough", waived([light], 1), /blocks: it is not below the bar and not dismissed/],
    ["is another finding", waived([{ ...light, fingerprint: "0".repeat(16) }]), /is not what was reported/],
    ["has another priority", waived([{ ...light, priority: 3 }]), /is not what was reported/],
    ["is not all of it", waived([]), /1 findings were reported, 0 are recorded as not blocking/],
    [
      "was dismissed for another reason",
      waived([{ ...waivedByDismissal, because: { ...waivedByDismissal.because, reason: "else" } as never }], 1),
      /blocks/
    ],
    ["was dismissed no longer", waived([waivedByDismissal], 1, "2027-01-01T00:00:00.000Z"), /blocks/]
  ]
  it.each(wrong)(
    "is not valid if the finding %s",
    (_, one, problem) => assert.match(waivedProblem([reported], one) ?? "", problem)
  )

  const unasked = () => assert.fail("no place is asked for")
  const asked = (one: WaivedBatch, script = scripts.issues(), keeps: ReadonlyArray<string> = []) =>
    Effect.runPromise(Effect.provide(
      recheckWaived(runRef(), one),
      Layer.merge(
        Layer.mock(RunStore)({
          targetPlace: unasked,
          runPlaces: unasked,
          batchPlaces: unasked,
          keeps: (_, text) => Effect.succeed(keeps.includes(text))
        }),
        Layer.mock(ReviewFiles)({
          stored: () =>
            Effect.succeed({ missing: [], status: 0, journal: null, joined: true, evidence: evidenceOf(script) })
        })
      )
    ))

  it("is a finding if the step would have kept its text, and no text exists", async () => {
    const one = waived([light])
    const kept = { ...one, flawed: { reviews: { ...reviews, waiversKept: true } } }
    assert.deepStrictEqual(await asked(kept, scripts.issues(), [waiverText(one.event)]), [])
    const [word] = await asked(kept, scripts.issues(), [waiverText({ ...one.event, block: 1 })])
    assert.deepInclude(word?._tag === "Found" ? word.finding : {}, { kind: "verdict", line: 4 })
  })

  it("is checked with the files", async () => {
    assert.deepStrictEqual(await asked(waived([light])), [])
    assert.deepInclude((await asked(waived([light], 1)))[0], { _tag: "Found" })
    // What is wrong with the files is reported with each review.
    assert.deepInclude((await asked(waived([light]), scripts.clean()))[0], { _tag: "Noted" })
  })
})
