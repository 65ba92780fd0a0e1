// Ends: why a person is asked where a driver cannot go on.
import { assert, it } from "vitest"
import { agentFailedEnd, consentEnd, gitChangedEnd } from "../../../src/drive/Ends.ts"
import type { Outcome } from "../../../src/run/Outcome.ts"

const whyOf = (outcome: Outcome): string => outcome._tag === "HandoffHuman" ? outcome.prompt : ""

it("a person is asked for consent, and told what an agent did to git or why it failed", () => {
  assert.strictEqual(whyOf(consentEnd("x needs a consent [--allow x]")), "x needs a consent [--allow x]")
  assert.include(whyOf(gitChangedEnd(["HEAD"])), "HEAD")
  const failed = agentFailedEnd({ ending: { _tag: "Login", message: "401" }, remedy: "codex login" })
  assert.strictEqual(whyOf(failed), 'an agent failed (Login): "401" [codex login]')
})
