// Drive: what a step handed over: the blocking findings, and the digest of all findings.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { assignmentOf } from "../../../../src/drive/converge/Drive.ts"
import { loopStep } from "../../../../src/step/LoopStep.ts"
import { Scripted } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"
import { settings } from "./driven.ts"

const { step } = settings()
const assignment = (script: () => Scripted.Scripted, change: object = {}) =>
  onMachine(
    Effect.gen(function*() {
      const { outcome, run } = yield* loopStep(step, false, "/repo")
      if (outcome._tag !== "HandoffAgent") return assert.fail(outcome._tag)
      return yield* assignmentOf(run, { kind: outcome.action, prompt: outcome.prompt }, { ...step, ...change })
    }),
    { script }
  )

it("a batch with issues is handed over with its findings by name, and with the reviewed code", async () => {
  const { content, handoff, prompt } = await assignment(() => Scripted.issues())
  assert.deepInclude(handoff, { kind: "AddressBatch", level: "low", batch: 1, anyFinding: true })
  assert.lengthOf(handoff.findings, 1)
  assert.match(handoff.findings[0] ?? "", /^[0-9a-f]{16}$/)
  assert.include(prompt, "Verify and address")
  assert.deepInclude(content, { _tag: "Known", tree: "code-1" })
})

it("findings that do not block are not listed", async () => {
  const { handoff } = await assignment(() => Scripted.issues(), { block: 0 })
  assert.deepStrictEqual(handoff.findings, [])
  assert.isTrue(handoff.anyFinding)
})

it("a review with issues and without a list is named by its slot", async () => {
  const unlisted = {
    ...Scripted.clean(),
    out: "The patch is wrong: the bound is off by one, so the last entry is lost.\n"
  }
  const { handoff } = await assignment(() => unlisted)
  assert.deepStrictEqual(handoff.findings, ["unlisted-1"])
})

it("a clean level has nothing to look at", async () => {
  const { handoff } = await assignment(() => Scripted.clean())
  assert.deepInclude(handoff, { kind: "Retrospective", findings: [], anyFinding: false })
})

it("equal findings have the same digest, others a different one", async () => {
  const [one, same, other] = await Promise.all([
    assignment(() => Scripted.issues()),
    assignment(() => Scripted.issues()),
    assignment(() => Scripted.issues(0, "Free the buffer"))
  ])
  assert.strictEqual(one.handoff.history, same.handoff.history)
  assert.notStrictEqual(one.handoff.history, other.handoff.history)
})
