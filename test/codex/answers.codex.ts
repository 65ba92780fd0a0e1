// Every kind of answer the model behind the real Codex CLI can give, driven through the built CLI: one slot, one level.
// Each case states the outcome, the header and what the run's log recorded; the log's verdict must fit the exit code.
import { assert, describe, it } from "vitest"
import { readFileSync } from "node:fs"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { headerOf, only, recorded } from "./recorded.ts"
import { type Bench, type Ended, withBench } from "./support.ts"

const ONE_SLOT = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

interface Seen extends Ended {
  readonly bench: Bench
}

/** One step at one level over a change of `one.mjs`. */
const stepOnce = (policy: (path: string) => Policy, check: (seen: Seen) => void) =>
  withBench((repo) => policy(`${repo}/one.mjs`), async (bench) => {
    bench.write("one.mjs", "export const one = 1.0\n")
    check({ ...(await bench.step(...ONE_SLOT)), bench })
    assert.lengthOf(bench.reviews(), 1)
  })

const assertClean = ({ bench, exit, stderr, stdout }: Seen, source: "session" | "stdout") => {
  assert.deepStrictEqual([exit, stdout, stderr], [0, "", "DoneFixedPoint\n"])
  const events = recorded(bench.stateRoot, "uncommitted")
  const [finished] = only(events, "ReviewFinished")
  assert.deepInclude(finished, { level: "low", batch: 1, slot: 1, attempt: 1, verdict: "Clean", findings: 0, source })
  assert.lengthOf(only(events, "BatchCompleted"), 1)
  assert.deepInclude(only(events, "FixedPointReached")[0], { level: "low", ceiling: "low", by: "Reviews" })
}

const assertIssues = (
  { bench, exit, stderr, stdout }: Seen,
  findings: number,
  source: "session" | "stdout",
  titles: ReadonlyArray<string>
) => {
  assert.deepStrictEqual([exit, stdout, headerOf(stderr)], [5, "", "HandoffAgent: AddressBatch"])
  assert.include(stderr, "\n  prompt: Verify and address 1 review(s) with issues at level low. ")
  const finished = only(recorded(bench.stateRoot, "uncommitted"), "ReviewFinished")
  assert.lengthOf(finished, 1)
  assert.deepInclude(finished[0], { verdict: "HasIssues", findings, source })
  const path = /^ {4}Findings: (\/.+)$/m.exec(stderr)?.[1] ?? ""
  const text = readFileSync(path, "utf8")
  for (const title of titles) assert.include(text, title)
  assert.match(text, /one\.mjs:1\b/)
}

const assertNoReview = ({ bench, exit, stderr, stdout }: Seen) => {
  assert.deepStrictEqual([exit, stdout], [6, ""])
  assert.match(headerOf(stderr), /^BinaryError: ./)
  const events = recorded(bench.stateRoot, "uncommitted")
  assert.deepInclude(only(events, "ReviewFailed")[0], { slot: 1, attempt: 1, kind: "NoReview", transient: false })
  assert.deepEqual(only(events, "BatchFailed")[0]?.slots, [1])
  assert.lengthOf(only(events, "FixedPointReached"), 0)
}

describe("an answer of the model", () => {
  it("without findings is clean", () => stepOnce(() => scenarios.clean, (seen) => assertClean(seen, "session")))

  it("with one finding is an issue", () =>
    stepOnce(scenarios.oneFinding, (seen) => assertIssues(seen, 1, "session", ["Guard against a missing user"])))

  it("with several findings is one review with issues", () =>
    stepOnce(scenarios.severalFindings, (seen) =>
      assertIssues(seen, 3, "session", [
        "Guard against a missing user",
        "Avoid the quadratic loop",
        "Close the file"
      ])))

  it("with findings but no priorities is read from the raw JSON that codex prints", () =>
    stepOnce(
      scenarios.withoutPriority,
      (seen) => assertIssues(seen, 2, "stdout", ["Guard against a missing user", "Avoid the quadratic loop"])
    ))

  it("that is empty is no review", () => stepOnce(() => scenarios.emptyAnswer, assertNoReview))

  it("in prose without a defect is clean", () =>
    stepOnce(
      () => scenarios.prose("The change only spells a number differently. I found nothing that would break."),
      (seen) => assertClean(seen, "stdout")
    ))

  it("in prose with a defect is an issue", () =>
    stepOnce(
      () => scenarios.prose("- [P1] The export is no longer an integer (one.mjs:1): callers that index by it break."),
      ({ exit, stderr }) => assert.deepStrictEqual([exit, headerOf(stderr)], [5, "HandoffAgent: AddressBatch"])
    ))

  it("in prose of a reviewer who saw nothing is no review", () =>
    stepOnce(
      () => scenarios.prose("I could not inspect the diff because the sandbox failed, so nothing was reviewed."),
      assertNoReview
    ))
})
