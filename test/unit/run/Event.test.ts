// Event: the events of a review run, as they are in old logs.
// Names and fields in this table never change; existing logs keep them for ever.
import { Option, Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { BatchCause, Event, LevelOutcome, StopCause } from "../../../src/run/Event.ts"
import { VerdictSource } from "../../../src/run/ReviewTokens.ts"

const decode = Schema.decodeUnknownResult(Event)
const digest = { algorithm: "sha256", hex: "00", bytes: 1 }
const batch = { level: "low", batch: 1 }
const attempt = { ...batch, slot: 1, attempt: 1 }

// One example of every event, as JSON.
const written = {
  RunCreated: {
    runId: "20300101T000001Z-000000001-p1",
    repoId: "repo-noremote",
    worktree: "/repo",
    target: { _tag: "Base", branch: "main" },
    startLevel: "low",
    batchSize: 3,
    createdAt: "2030-01-01T00:00:01.000Z",
    because: "NoLatestPointer",
    nonce: "00"
  },
  BatchStarted: { ...batch, size: 3, base: null, argv: ["review"], identity: { _tag: "Unknown", why: "no git" } },
  ReviewStarted: { ...attempt, id: "x" },
  ReviewFinished: {
    ...attempt,
    verdict: "Clean",
    reason: "",
    source: "session",
    findings: 0,
    log: digest,
    out: digest
  },
  ReviewFailed: { ...attempt, kind: "Quota", transient: false, message: "m", exit: null },
  ReviewStopped: { ...attempt, cause: "Stop" },
  BatchCompleted: { ...batch, identity: { _tag: "Known", head: null, tree: null, base: null } },
  BatchFailed: { ...batch, slots: [1] },
  LevelOutcomeRecorded: {
    ...batch,
    outcome: { _tag: "RetrospectiveChanges", reason: { text: "r" } },
    ceiling: "xhigh"
  },
  BatchOpened: { ...batch, from: "medium", cause: "Dropped" },
  FixedPointReached: { ...batch, ceiling: "low", by: "Reviews" },
  AddressFailed: { ...batch, details: { text: "d", rest: digest } },
  FindingDismissed: {
    fingerprint: "0123456789abcdef",
    priority: 1,
    path: "a.ts",
    wordings: [{ title: "T", lines: { start: 1, end: 2 } }],
    until: "2026-12-31",
    reason: { text: "r", rest: digest }
  },
  DismissalWithdrawn: { fingerprint: "0123456789abcdef" },
  BatchWaived: {
    ...batch,
    block: 2,
    findings: [{
      fingerprint: "0123456789abcdef",
      title: "T",
      priority: null,
      because: { _tag: "Dismissed", scope: "repo", reason: "r", until: null }
    }]
  },
  StepAborted: { signal: "SIGINT" }
}

describe("an event in a log", () => {
  it.each(Object.entries(written))("%s reads and writes back unchanged", (tag, fields) => {
    const raw: unknown = { _tag: tag, ...fields }
    const decoded = decode(raw)
    assert.isTrue(Result.isSuccess(decoded), JSON.stringify(decoded))
    if (Result.isSuccess(decoded)) assert.deepStrictEqual(Schema.encodeSync(Event)(decoded.success), raw)
  })

  it("is one of sixteen, each with an example above", () => {
    assert.deepStrictEqual(Object.keys(written), Object.keys(Event.cases))
    assert.lengthOf(Object.keys(Event.cases), 16)
  })

  it("with a field of a later version can still be read", () =>
    assert.isTrue(Result.isSuccess(decode({ _tag: "StepAborted", signal: "SIGINT", later: 1 }))))

  it.each(Object.entries(written))("%s without any one of its fields is refused", (tag, fields) => {
    for (const key of Object.keys(fields)) {
      const without = { _tag: tag, ...fields, [key]: undefined }
      assert.isTrue(Result.isFailure(decode(without)), `${tag} without ${key}`)
    }
  })

  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["an unknown name", { _tag: "BatchForgotten", level: "low", batch: 1 }],
    ["a level that does not exist", { _tag: "BatchFailed", level: "max", batch: 1, slots: [] }],
    ["a batch 0", { _tag: "BatchFailed", level: "low", batch: 0, slots: [] }],
    ["half a batch", { _tag: "BatchFailed", level: "low", batch: 1.5, slots: [] }],
    ["a slot 0", { _tag: "BatchFailed", level: "low", batch: 1, slots: [0] }],
    ["no review as a verdict", { _tag: "ReviewFinished", ...written.ReviewFinished, verdict: "NoReview" }],
    ["a branch that is an option", { _tag: "BatchStarted", ...written.BatchStarted, base: "-x" }],
    ["a target that walks upward", {
      _tag: "RunCreated",
      ...written.RunCreated,
      target: { _tag: "Base", branch: "../x" }
    }],
    ["a short commit", { _tag: "RunCreated", ...written.RunCreated, target: { _tag: "Commit", sha: "abc" } }]
  ]
  it.each(wrong)("with %s is refused", (_, raw) => assert.isTrue(Result.isFailure(decode(raw))))
})

describe("the tokens of events", () => {
  it("are the contract's three variants of a level's outcome", () =>
    assert.deepStrictEqual(Object.keys(LevelOutcome.cases), ["Clean", "RetrospectiveChanges", "Addressed"]))

  it("are the causes of opening a batch and of stopping a reviewer", () => {
    assert.deepStrictEqual(BatchCause.literals, ["Advanced", "Dropped", "Restarted", "TargetChanged", "Stale"])
    assert.deepStrictEqual(StopCause.literals, ["Stop", "Interrupt", "Fresh", "Mark", "TargetChanged"])
  })
})

describe("VerdictSource", () => {
  it("lists its tokens best first; logs keep them for ever", () =>
    assert.deepStrictEqual(VerdictSource.literals, ["session", "stdout", "marker"]))

  it("refuses any other token", () => {
    for (const token of ["Session", "stderr", "", null, 1]) {
      assert.isTrue(Option.isNone(Schema.decodeUnknownOption(VerdictSource)(token)))
    }
  })
})
