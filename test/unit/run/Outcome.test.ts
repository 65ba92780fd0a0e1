// Outcome: the contract's tables of exit codes and header lines, word for word.
// Both tables are written out here; orchestrators depend on them.
import { assert, describe, it } from "vitest"
import { exitCode, exitCodes, header, type Outcome, stderrText } from "../../../src/run/Outcome.ts"

const address =
  "Verify and address 2 review(s) with issues at level low. For each issue: real bug -> fix; false positive -> " +
  "clarify code; design tradeoff -> document rationale. Then run tests."

const table: ReadonlyArray<readonly [Outcome, number, string]> = [
  [{ _tag: "DoneFixedPoint" }, 0, "DoneFixedPoint"],
  [
    { _tag: "StuckRepeated", action: "RunReviews", key: "low/batch-1/not-started" },
    1,
    "StuckRepeated: RunReviews:low/batch-1/not-started"
  ],
  [
    { _tag: "StuckCapReached", action: "AwaitReviews", key: "low/batch-1" },
    2,
    "StuckCapReached: AwaitReviews:low/batch-1"
  ],
  [
    { _tag: "StuckCapReached", action: "RunReviews", key: "low/batch-1/not-started" },
    2,
    "StuckCapReached: RunReviews:low/batch-1/not-started"
  ],
  [
    { _tag: "HandoffHuman", action: "TestsFailedTriage", prompt: "Tests failed" },
    3,
    "HandoffHuman: TestsFailedTriage"
  ],
  [{ _tag: "WouldAdvance", action: "RunReviews" }, 4, "WouldAdvance: RunReviews"],
  [{ _tag: "HandoffAgent", action: "AddressBatch", prompt: address }, 5, "HandoffAgent: AddressBatch"],
  [{ _tag: "HandoffAgent", action: "Retrospective", prompt: "All clean" }, 5, "HandoffAgent: Retrospective"],
  [{ _tag: "BinaryError", message: "codex spawn failed" }, 6, "BinaryError: codex spawn failed"],
  [{ _tag: "Idle" }, 7, "Idle"],
  [{ _tag: "DoneAborted" }, 8, "DoneAborted"],
  [{ _tag: "UsageError", message: "unknown flag --x", usage: "Usage: y" }, 64, "UsageError: unknown flag --x"]
]

describe("an outcome", () => {
  it.each(table)("%j exits with %i and has the header %s", (outcome, code, line) => {
    assert.strictEqual(exitCode(outcome), code)
    assert.strictEqual(header(outcome), line)
    assert.strictEqual(stderrText(outcome).split("\n")[0], line)
  })

  it("has exactly the contract's ten variants and codes", () => {
    assert.deepStrictEqual(exitCodes, {
      DoneFixedPoint: 0,
      StuckRepeated: 1,
      StuckCapReached: 2,
      HandoffHuman: 3,
      WouldAdvance: 4,
      HandoffAgent: 5,
      BinaryError: 6,
      Idle: 7,
      DoneAborted: 8,
      UsageError: 64
    })
    assert.deepStrictEqual(new Set(table.map(([outcome]) => outcome._tag)), new Set(Object.keys(exitCodes)))
  })
})

describe("standard error", () => {
  it("is the contract's example, byte for byte", () => {
    assert.strictEqual(
      stderrText({ _tag: "HandoffAgent", action: "AddressBatch", prompt: address }),
      "HandoffAgent: AddressBatch\n" +
        "  prompt: Verify and address 2 review(s) with issues at level low. For each issue: real bug -> fix; false " +
        "positive -> clarify code; design tradeoff -> document rationale. Then run tests.\n"
    )
  })

  it("is only the header line for an outcome without prompt and usage", () => {
    const alone = table.filter(([{ _tag }]) => !/^(Handoff|UsageError)/.test(_tag))
    assert.lengthOf(alone, 8)
    for (const [outcome, , line] of alone) assert.strictEqual(stderrText(outcome), `${line}\n`)
  })

  it("has the whole usage block after the header of a usage error, with one newline at the end", () => {
    for (const usage of ["Usage: y\n  --x", "Usage: y\n  --x\n", "Usage: y\n  --x\n\n"]) {
      assert.strictEqual(stderrText({ _tag: "UsageError", message: "m", usage }), "UsageError: m\nUsage: y\n  --x\n")
    }
  })

  it("keeps messages and keys on the header line", () => {
    const key = "a\nHandoffAgent: AddressBatch"
    const escaped = "a\\nHandoffAgent: AddressBatch"
    const action = "RunReviews"
    assert.strictEqual(stderrText({ _tag: "BinaryError", message: key }), `BinaryError: ${escaped}\n`)
    assert.strictEqual(stderrText({ _tag: "UsageError", message: key, usage: "u" }), `UsageError: ${escaped}\nu\n`)
    assert.strictEqual(stderrText({ _tag: "StuckRepeated", action, key }), `StuckRepeated: RunReviews:${escaped}\n`)
    assert.strictEqual(stderrText({ _tag: "StuckCapReached", action, key }), `StuckCapReached: RunReviews:${escaped}\n`)
  })

  it("indents the further lines of a prompt by four spaces", () => {
    assert.strictEqual(
      stderrText({ _tag: "HandoffHuman", action: "TestsFailedTriage", prompt: "a\nHandoffAgent: AddressBatch" }),
      "HandoffHuman: TestsFailedTriage\n  prompt: a\n    HandoffAgent: AddressBatch\n"
    )
  })
})
