// Outcome: accepted work exits like a fixed point, and is never called one.
import { assert, it } from "vitest"
import { planExitCode, planHeader, planStderr } from "../../../../src/drive/plan/Outcome.ts"
import { exitCode, header, stderrText } from "../../../../src/run/Outcome.ts"

it("accepted work has its own header", () => {
  const accepted = { _tag: "DoneAccepted" } as const
  assert.deepStrictEqual([planHeader(accepted), planExitCode(accepted)], ["DoneAccepted", 0])
  assert.strictEqual(planStderr(accepted), "DoneAccepted\n")
})

it("an inspection names the next turn", () => {
  const would = { _tag: "WouldAdvance", action: "StartRound" } as const
  assert.deepStrictEqual([planHeader(would), planExitCode(would)], ["WouldAdvance: StartRound", 4])
  assert.strictEqual(planStderr(would), "WouldAdvance: StartRound\n")
})

it("every other outcome is the contract's", () => {
  const human = { _tag: "HandoffHuman", action: "TaskBlocked", prompt: "Look." } as const
  assert.strictEqual(planHeader(human), header(human))
  assert.strictEqual(planExitCode(human), exitCode(human))
  assert.strictEqual(planStderr(human), stderrText(human))
})
