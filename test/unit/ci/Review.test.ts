// Review: one batch per level until one could not be reviewed, what a run has come to, and what fails a job.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import {
  codeOf,
  FailOn,
  fails,
  findingsOf,
  isReviewed,
  openFindings,
  pageOf,
  pathOf,
  reviewLevels
} from "../../../src/ci/Review.ts"
import { make } from "../../../src/run/Invocation.ts"
import type { Script } from "../../../src/testing/World.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { step } from "../../../src/step/Step.ts"
import type { FindingsReport } from "../../../src/review/findings/Report.ts"
import { onMachine } from "../run/opened.ts"
import { batchOf, report, wrote, type Wrote } from "../../support/reviewedBatches.ts"

const { settings } = make({ target: { _tag: "Uncommitted" }, strict: true, batchSize: 2, retries: 0 })

const reviewed = (script: Script) =>
  onMachine(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, script)
    const results = yield* reviewLevels(settings, ["low", "medium", "high"], "/repo")
    return results.map(({ outcome, run }) => [outcome._tag, run?.manifest.current_level, run?.manifest.batches])
  }))

describe("the levels", () => {
  it("are reviewed once each, whatever is found", async () => {
    const script: Script = ({ level }) => level === "medium" ? Scripted.clean() : Scripted.issues()
    assert.deepStrictEqual(await reviewed(script), [
      ["HandoffAgent", "low", 1],
      ["DoneFixedPoint", "medium", 1],
      ["HandoffAgent", "high", 1]
    ])
  })

  it("end with the first that could not be reviewed", async () => {
    const results = await reviewed(({ level }) => level === "medium" ? Scripted.failure() : Scripted.clean())
    assert.deepStrictEqual(results.map(([tag]) => tag), ["DoneFixedPoint", "BinaryError"])
  })

  it("are reviewed when they are clean or have findings to address, and in no other case", () => {
    assert.isTrue(isReviewed({ _tag: "HandoffAgent", action: "AddressBatch", prompt: "" }))
    assert.isFalse(isReviewed({ _tag: "HandoffAgent", action: "Retrospective", prompt: "" }))
    assert.isFalse(isReviewed({ _tag: "Idle" }))
    assert.isFalse(isReviewed({ _tag: "DoneAborted" }))
  })
})

const gathered = (script: Script) =>
  onMachine(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, script)
    const { settings } = make({ target: { _tag: "Uncommitted" }, batchSize: 2, retries: 0 })
    const { run } = yield* step({ settings, action: { _tag: "Loop", fresh: false } }, "/repo", {})
    const ref = run?.ref ?? assert.fail("no run")
    return {
      code: run === null ? null : codeOf(run),
      way: yield* pathOf(ref),
      found: yield* findingsOf(ref, null),
      page: yield* pageOf(ref),
      ref
    }
  }))

it("has batches with issues and their findings", async () => {
  const { code, found, page, ref, way } = await gathered(() => Scripted.issues())
  assert.deepStrictEqual(way, [{ level: "low", verdict: "issues" }])
  assert.lengthOf(found?.findings ?? [], 1)
  assert.include(page, ref.runId)
  assert.match(code ?? "", /\btree code-1\b/)
})

it("distinguish clean and failed batches", async () => {
  assert.deepStrictEqual((await gathered(({ slot }) => slot === 1 ? Scripted.clean() : Scripted.failure())).way, [
    { level: "low", verdict: "failed" }
  ])
  assert.deepInclude((await gathered(() => Scripted.clean())).way, { level: "low", verdict: "clean" })
})

it("has no findings where none can be listed", async () => {
  const found = await onMachine(
    findingsOf({ root: "/state", repoId: "r", targetKey: "uncommitted", runId: "none" }, null)
  )
  assert.isNull(found)
})

const found = (...all: ReadonlyArray<Wrote>): FindingsReport => report(batchOf(1, all.map((one) => wrote(1, one))))
const dismissed = (one: FindingsReport): FindingsReport => ({
  ...one,
  findings: one.findings.map((finding) => ({
    ...finding,
    dismissed: {
      at: "2026-01-01",
      until: null,
      reason: "so",
      scope: "run",
      path: null,
      priority: 1,
      wordings: [],
      fingerprint: "f"
    }
  }))
})
const failing = (reports: ReadonlyArray<FindingsReport>, isDone = true): ReadonlyArray<FailOn> =>
  FailOn.literals.filter((one) => fails(one, reports, isDone))

describe("a job", () => {
  it("passes a clean review", () => assert.deepStrictEqual(failing([found()]), []))

  it("fails for findings of the priority that is asked for and graver ones", () => {
    assert.deepStrictEqual(failing([found(), found({ priority: 2 })]), ["findings", "P2", "P3"])
    assert.deepStrictEqual(failing([found({ priority: 0 })]), ["findings", "P0", "P1", "P2", "P3"])
  })

  it("fails by every priority for a finding without one and for a review without a list", () => {
    const all: ReadonlyArray<FailOn> = ["findings", "P0", "P1", "P2", "P3"]
    assert.deepStrictEqual(failing([found({ priority: null })]), all)
    const unlisted = report(batchOf(1, [], { unlisted: [{ slot: 1, reason: "x", body: "Bad." }] }))
    assert.deepStrictEqual(failing([unlisted]), all)
    assert.strictEqual(openFindings([unlisted, found({})]), 2)
    // A finding that is not kept may be the gravest.
    assert.deepStrictEqual(failing([report(batchOf(1, [wrote(1, { priority: 3 })], { dropped: 1 }))]), all)
  })

  it("passes what is dismissed", () => {
    const report = dismissed(found({ priority: 0 }))
    assert.deepStrictEqual([failing([report]), openFindings([report])], [[], 0])
  })

  it("fails where the review is not done, unless the job may never fail", () =>
    assert.deepStrictEqual(failing([found()], false), FailOn.literals.filter((one) => one !== "never")))
})
